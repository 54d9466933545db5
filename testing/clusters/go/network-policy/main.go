// Enforces the NetworkPolicies of a cluster for the pods of one node, in a table of nftables of its own. The pods' traffic passes
// the node's forward hook, also between two pods of the node where the bridge hands it over (bridge-nf-call-iptables); what
// the node itself sends its pods, such as the kubelet's probes, does not, and is always allowed.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	networklisters "k8s.io/client-go/listers/networking/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// Changes that come together are applied together.
const settle = 20 * time.Millisecond

const retryAfter = time.Second

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how the API server is reached")
	node := flag.String("node", "", "the node whose pods are protected")
	flag.Parse()
	if *kubeconfig == "" || *node == "" {
		log.Fatal("--kubeconfig and --node are needed.")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := enforce(ctx, *kubeconfig, *node); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

type listers struct {
	pods       corelisters.PodLister
	namespaces corelisters.NamespaceLister
	policies   networklisters.NetworkPolicyLister
}

func enforce(ctx context.Context, kubeconfig, node string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	// Whoever has no right to it yet may have it soon: the node starts this program again, sooner than an informer asks again.
	if _, err := client.NetworkingV1().NetworkPolicies("").List(ctx, meta.ListOptions{Limit: 1}); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	namespaces := factory.Core().V1().Namespaces()
	policies := factory.Networking().V1().NetworkPolicies()
	changed := make(chan struct{}, 1)
	for _, informer := range []cache.SharedIndexInformer{pods.Informer(), namespaces.Informer(), policies.Informer()} {
		if _, err := informer.AddEventHandler(notifying(changed)); err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("the list of %v was not to be had", kind)
		}
	}
	return applyWhenever(ctx, changed, listers{pods.Lister(), namespaces.Lister(), policies.Lister()}, node)
}

func notifying(changed chan<- struct{}) cache.ResourceEventHandler {
	notify := func() {
		select {
		case changed <- struct{}{}:
		default: // It is known already that there is something new.
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { notify() },
		UpdateFunc: func(any, any) { notify() },
		DeleteFunc: func(any) { notify() },
	}
}

// Keeps the node's rules equal to what the caches say, until ctx is done.
func applyWhenever(ctx context.Context, changed chan struct{}, from listers, node string) error {
	applied := ""
	retry := time.NewTimer(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			time.Sleep(settle)
		case <-retry.C:
		}
		wanted, err := from.ruleset(node)
		if err == nil && wanted != applied {
			if err = load(ctx, wanted); err == nil {
				applied = wanted
			}
		}
		if err != nil {
			log.Print(err)
			retry.Reset(retryAfter)
		}
	}
}

func (from listers) ruleset(node string) (string, error) {
	pods, err := from.pods.List(labels.Everything())
	if err != nil {
		return "", err
	}
	namespaces, err := from.namespaces.List(labels.Everything())
	if err != nil {
		return "", err
	}
	policies, err := from.policies.List(labels.Everything())
	if err != nil {
		return "", err
	}
	isolated, err := newCluster(pods, namespaces).isolatedOn(node, policies)
	if err != nil {
		return "", err
	}
	return ruleset(isolated), nil
}

// Replaces the whole table in one transaction: no packet meets half of it.
func load(ctx context.Context, rules string) error {
	nft := exec.CommandContext(ctx, "nft", "-f", "-")
	nft.Stdin = bytes.NewBufferString(rules)
	if output, err := nft.CombinedOutput(); err != nil {
		return fmt.Errorf("nft: %w\n%s%s", err, output, rules)
	}
	return nil
}
