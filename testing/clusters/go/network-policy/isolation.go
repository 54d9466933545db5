package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A pod of the node that a policy selects. In a direction in which it is isolated, only what a rule allows may pass.
type isolatedPod struct {
	uid     string
	ips     []netip.Addr
	ingress direction
	egress  direction
}

type direction struct {
	isolated bool
	allowed  []rule
}

// Allows what comes from, or goes to, any of the peers, by any of the ports. Without peers: everybody; without ports: everything.
type rule struct {
	anyPeer bool
	peers   []peer
	anyPort bool
	ports   []port
}

type peer struct {
	network netip.Prefix
	except  []netip.Prefix
	// Where names of ports are of the peer's own: whose they are. Nil for a range of addresses.
	pod *core.Pod
}

type port struct {
	protocol core.Protocol
	// All ports of the protocol when first is 0.
	first, last int32
}

type cluster struct {
	pods       []*core.Pod
	namespaces map[string]labels.Set
	// Whose an address is: one that was a dead pod's may be another's before the dead one is gone from the API.
	owners map[netip.Addr]*core.Pod
}

func newCluster(pods []*core.Pod, namespaces []*core.Namespace) cluster {
	byName := map[string]labels.Set{}
	for _, namespace := range namespaces {
		byName[namespace.Name] = namespace.Labels
	}
	// Pods on the node's network are not the business of policies: their address is the node's.
	mine := slices.DeleteFunc(slices.Clone(pods), func(pod *core.Pod) bool {
		ended := pod.Status.Phase == core.PodSucceeded || pod.Status.Phase == core.PodFailed
		return pod.Spec.HostNetwork || ended || len(pod.Status.PodIPs) == 0
	})
	slices.SortFunc(mine, func(one, other *core.Pod) int { return cmp.Compare(one.UID, other.UID) })
	owners := map[netip.Addr]*core.Pod{}
	for _, pod := range mine {
		for _, ip := range addressesOf(pod) {
			if owner := owners[ip]; owner == nil || owner.CreationTimestamp.Before(&pod.CreationTimestamp) {
				owners[ip] = pod
			}
		}
	}
	return cluster{mine, byName, owners}
}

// The pods of a node that policies isolate, with what the policies allow.
func (all cluster) isolatedOn(node string, policies []*networking.NetworkPolicy) ([]isolatedPod, error) {
	policies = slices.SortedFunc(slices.Values(policies), func(one, other *networking.NetworkPolicy) int {
		return cmp.Compare(one.UID, other.UID)
	})
	found := []isolatedPod{}
	for _, pod := range all.pods {
		if pod.Spec.NodeName != node {
			continue
		}
		isolated := isolatedPod{uid: string(pod.UID), ips: all.addressesOf(pod)}
		for _, policy := range policies {
			if err := all.apply(policy, pod, &isolated); err != nil {
				return nil, fmt.Errorf("NetworkPolicy %s/%s: %w", policy.Namespace, policy.Name, err)
			}
		}
		if isolated.ingress.isolated || isolated.egress.isolated {
			found = append(found, isolated)
		}
	}
	return found, nil
}

func (all cluster) apply(policy *networking.NetworkPolicy, pod *core.Pod, isolated *isolatedPod) error {
	selector, err := meta.LabelSelectorAsSelector(&policy.Spec.PodSelector)
	if err != nil {
		return err
	}
	if policy.Namespace != pod.Namespace || !selector.Matches(labels.Set(pod.Labels)) {
		return nil
	}
	if slices.Contains(policy.Spec.PolicyTypes, networking.PolicyTypeIngress) {
		isolated.ingress.isolated = true
		for _, each := range policy.Spec.Ingress {
			peers, err := all.peers(each.From, policy.Namespace)
			if err != nil {
				return err
			}
			// A name of a port is one of the pod that the policy selects.
			allowed := rule{anyPeer: len(each.From) == 0, peers: peers, anyPort: len(each.Ports) == 0, ports: portsOf(each.Ports, pod)}
			isolated.ingress.allowed = append(isolated.ingress.allowed, allowed)
		}
	}
	if slices.Contains(policy.Spec.PolicyTypes, networking.PolicyTypeEgress) {
		isolated.egress.isolated = true
		for _, each := range policy.Spec.Egress {
			allowed, err := all.egressRules(each, policy.Namespace)
			if err != nil {
				return err
			}
			isolated.egress.allowed = append(isolated.egress.allowed, allowed...)
		}
	}
	return nil
}

// One rule for all ports that are numbers; and where there are names, which every peer may give another number, one for each peer.
func (all cluster) egressRules(each networking.NetworkPolicyEgressRule, namespace string) ([]rule, error) {
	peers, err := all.peers(each.To, namespace)
	if err != nil {
		return nil, err
	}
	anyPeer := len(each.To) == 0
	if len(each.Ports) == 0 {
		return []rule{{anyPeer: anyPeer, peers: peers, anyPort: true}}, nil
	}
	rules := []rule{{anyPeer: anyPeer, peers: peers, ports: portsOf(each.Ports, nil)}}
	named := slices.DeleteFunc(slices.Clone(each.Ports), func(one networking.NetworkPolicyPort) bool { return !isNamed(one) })
	if len(named) == 0 {
		return rules, nil
	}
	if anyPeer {
		peers = all.podPeers(all.pods)
	}
	for _, one := range peers {
		if one.pod != nil {
			rules = append(rules, rule{peers: []peer{one}, ports: portsOf(named, one.pod)})
		}
	}
	return rules, nil
}

func (all cluster) peers(of []networking.NetworkPolicyPeer, namespace string) ([]peer, error) {
	found := []peer{}
	for _, each := range of {
		if each.IPBlock != nil {
			block, err := blockPeer(each.IPBlock)
			if err != nil {
				return nil, err
			}
			found = append(found, block)
			continue
		}
		selected, err := all.selected(each, namespace)
		if err != nil {
			return nil, err
		}
		found = append(found, all.podPeers(selected)...)
	}
	return found, nil
}

func blockPeer(block *networking.IPBlock) (peer, error) {
	network, err := netip.ParsePrefix(block.CIDR)
	if err != nil {
		return peer{}, err
	}
	found := peer{network: network.Masked()}
	for _, text := range block.Except {
		except, err := netip.ParsePrefix(text)
		if err != nil {
			return peer{}, err
		}
		found.except = append(found.except, except.Masked())
	}
	return found, nil
}

// Without a selector of namespaces it is the policy's own; without one of pods, all of them.
func (all cluster) selected(by networking.NetworkPolicyPeer, namespace string) ([]*core.Pod, error) {
	pods := labels.Everything()
	namespaces := labels.Everything()
	var err error
	if by.PodSelector != nil {
		if pods, err = meta.LabelSelectorAsSelector(by.PodSelector); err != nil {
			return nil, err
		}
	}
	if by.NamespaceSelector != nil {
		if namespaces, err = meta.LabelSelectorAsSelector(by.NamespaceSelector); err != nil {
			return nil, err
		}
	}
	found := []*core.Pod{}
	for _, pod := range all.pods {
		labelsOfNamespace, known := all.namespaces[pod.Namespace]
		inNamespace := known && namespaces.Matches(labelsOfNamespace)
		if by.NamespaceSelector == nil {
			inNamespace = pod.Namespace == namespace
		}
		if inNamespace && pods.Matches(labels.Set(pod.Labels)) {
			found = append(found, pod)
		}
	}
	return found, nil
}

func (all cluster) podPeers(pods []*core.Pod) []peer {
	found := []peer{}
	for _, pod := range pods {
		for _, ip := range all.addressesOf(pod) {
			found = append(found, peer{network: netip.PrefixFrom(ip, ip.BitLen()), pod: pod})
		}
	}
	return found
}

func (all cluster) addressesOf(pod *core.Pod) []netip.Addr {
	return slices.DeleteFunc(addressesOf(pod), func(ip netip.Addr) bool { return all.owners[ip] != pod })
}

func addressesOf(pod *core.Pod) []netip.Addr {
	found := []netip.Addr{}
	for _, each := range pod.Status.PodIPs {
		if ip, err := netip.ParseAddr(each.IP); err == nil {
			found = append(found, ip.Unmap())
		}
	}
	return found
}

// A name that `named` does not have, or that nobody gave it to look up in, allows nothing.
func portsOf(ports []networking.NetworkPolicyPort, named *core.Pod) []port {
	found := []port{}
	for _, each := range ports {
		protocol := core.ProtocolTCP
		if each.Protocol != nil {
			protocol = *each.Protocol
		}
		switch {
		case each.Port == nil:
			found = append(found, port{protocol: protocol})
		case isNamed(each):
			found = append(found, portsNamed(each.Port.StrVal, protocol, named)...)
		case each.EndPort != nil:
			found = append(found, port{protocol, each.Port.IntVal, *each.EndPort})
		default:
			found = append(found, port{protocol, each.Port.IntVal, each.Port.IntVal})
		}
	}
	return found
}

func isNamed(one networking.NetworkPolicyPort) bool {
	return one.Port != nil && one.Port.Type == intstr.String
}

func portsNamed(name string, protocol core.Protocol, pod *core.Pod) []port {
	found := []port{}
	if pod == nil {
		return found
	}
	sidecars := slices.DeleteFunc(slices.Clone(pod.Spec.InitContainers), func(container core.Container) bool {
		return container.RestartPolicy == nil || *container.RestartPolicy != core.ContainerRestartPolicyAlways
	})
	for _, container := range slices.Concat(pod.Spec.Containers, sidecars) {
		for _, each := range container.Ports {
			if each.Name == name && cmp.Or(each.Protocol, core.ProtocolTCP) == protocol {
				found = append(found, port{protocol, each.ContainerPort, each.ContainerPort})
			}
		}
	}
	return found
}
