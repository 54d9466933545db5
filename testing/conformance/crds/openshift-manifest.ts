/**
 * An IngressController as an administrator of OpenShift may have it, with most of what OpenShift offers: the operator
 * does not act on all of it, and none of it may get lost. Defaults are written out, so that it comes back unchanged.
 */
export const openshiftManifest = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'IngressController',
  metadata: { name: 'everything', labels: { team: 'edge' } },
  spec: {
    domain: 'apps.example.com',
    replicas: 3,
    endpointPublishingStrategy: {
      type: 'LoadBalancerService',
      loadBalancer: {
        scope: 'External',
        dnsManagementPolicy: 'Unmanaged',
        allowedSourceRanges: ['198.51.100.0/24', '2001:db8::/32', '203.0.113.7/32'],
        providerParameters: {
          type: 'AWS',
          aws: {
            type: 'NLB',
            classicLoadBalancer: {
              connectionIdleTimeout: '5m0s',
              subnets: { names: ['public-a', 'public b'] },
            },
            networkLoadBalancer: {
              subnets: { ids: ['subnet-0123456789abcdef0'], names: ['public-c'] },
              eipAllocations: ['eipalloc-0123456789abcdef0', 'eipalloc-0123456789abcdef1'],
              protocol: 'PROXY',
              securityGroups: ['sg-0123456789abcdef0', 'sg-01234567'],
            },
          },
          gcp: { clientAccess: 'Local' },
          ibm: { protocol: 'PROXY' },
        },
      },
      hostNetwork: { httpPort: 8080, httpsPort: 8443, statsPort: 8936, protocol: 'TCP' },
      nodePort: { protocol: '' },
      private: { protocol: 'PROXY' },
    },
    defaultCertificate: { name: 'wildcard' },
    namespaceSelector: {
      matchLabels: { environment: 'production' },
      matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['red'] }],
    },
    routeSelector: { matchExpressions: [{ key: 'shard', operator: 'Exists' }] },
    nodePlacement: {
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
      tolerations: [
        { key: 'infra', operator: 'Equal', value: 'reserved', effect: 'NoExecute', tolerationSeconds: 3600 },
        { operator: 'Exists' },
      ],
    },
    httpHeaders: {
      forwardedHeaderPolicy: 'IfNone',
      uniqueId: { name: 'x-request-id', format: '%{+X}o %ci:%cp' },
      headerNameCaseAdjustments: ['Host', 'X-Forwarded-For'],
      actions: {
        request: [{ name: 'X-Edge', action: { type: 'Set', set: { value: '%[req.hdr(host),lower]' } } }],
        response: [{ name: 'Server', action: { type: 'Delete' } }],
      },
    },
    tlsSecurityProfile: {
      type: 'Custom',
      custom: { ciphers: ['ECDHE-ECDSA-AES128-GCM-SHA256'], minTLSVersion: 'VersionTLS12' },
    },
    clientTLS: {
      clientCertificatePolicy: 'Optional',
      clientCA: { name: 'clients' },
      allowedSubjectPatterns: ['^/CN=.*\\.example\\.com$'],
    },
    routeAdmission: { namespaceOwnership: 'InterNamespaceAllowed', wildcardPolicy: 'WildcardsAllowed' },
    logging: {
      access: {
        destination: { type: 'Syslog', syslog: { address: '192.0.2.1', port: 514, maxLength: 2048 } },
        httpLogFormat: '%ci %HM %HP',
        httpCaptureHeaders: { request: [{ name: 'Host', maxLength: 80 }] },
        httpCaptureCookies: [{ matchType: 'Exact', name: 'session', maxLength: 40 }],
        logEmptyRequests: 'Ignore',
      },
    },
    httpCompression: { mimeTypes: ['text/html', 'application/json'] },
    httpErrorCodePages: { name: 'error-pages' },
    httpEmptyRequestsPolicy: 'Ignore',
    tuningOptions: {
      threadCount: 8,
      maxConnections: 200_000,
      headerBufferBytes: 65_536,
      clientTimeout: '90s',
      tunnelTimeout: '1h',
      reloadInterval: '15s',
    },
    idleConnectionTerminationPolicy: 'Deferred',
    closedClientConnectionPolicy: 'Abort',
    haproxyVersion: '3.2',
    unsupportedConfigOverrides: { deeply: { nested: [1, null, { anything: true }] } },
    aFieldOfTheFuture: null,
  },
}
