import { Command } from 'commander'
import { version } from '../../package.json'

/** The command line; each command is to be a file of its own beside this one. */
export function portcullis(print: (text: string) => void = console.log): Command {
  return new Command('portcullis')
    .description(
      'Publishes Kubernetes ingress: cloud load balancers whose scope can be changed on a live cluster, ' +
        'host ports, node ports, and the addresses written to every Ingress.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(portcullis --help lists what there is)')
    .action(() => print(whatIsHere))
}

const whatIsHere = `Portcullis ${version}

What is here so far is the ground that the operator will stand on: src/kube, a Kubernetes client and
controller runtime, and a real control plane to try it on.

  npm test                the checks, and the tests that need nothing but Node
  npm run control-plane   a real Kubernetes control plane on this machine (needs Go, builds it the first time)
  npm run test:cluster    the tests on such a control plane, faults injected
  npm run bench           how fast the client is, against a bare HTTP loop and @kubernetes/client-node`
