package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

const table = "inet portcullis-network-policy"

// A way of a packet, in the words of nftables: the pod's own end, and the peer's.
type way struct {
	name, pod, peer string
}

var (
	ingressWay = way{"ingress", "daddr", "saddr"}
	egressWay  = way{"egress", "saddr", "daddr"}
)

// What nft reads to enforce that the pods are isolated: a chain for each pod and direction, whose end drops, and the way to them.
func ruleset(pods []isolatedPod) string {
	var text strings.Builder
	fmt.Fprintf(&text, "add table %s\ndelete table %s\ntable %s {\n", table, table, table)
	jumps := map[way]map[string][]string{ingressWay: {}, egressWay: {}}
	for _, pod := range pods {
		for _, each := range []struct {
			way
			direction
		}{{ingressWay, pod.ingress}, {egressWay, pod.egress}} {
			if !each.isolated {
				continue
			}
			chain := each.name + "-" + pod.uid
			writeChain(&text, chain, each.way, pod, each.allowed)
			for _, ip := range pod.ips {
				family := familyOf(ip)
				jumps[each.way][family] = append(jumps[each.way][family], fmt.Sprintf("%s : jump %s", ip, chain))
			}
		}
	}
	text.WriteString("  chain forward {\n    type filter hook forward priority filter; policy accept;\n")
	// A connection that stands goes on, whatever policies come: Kubernetes leaves that to implementations.
	text.WriteString("    ct state established,related accept\n")
	// Pods of a node find each other's hardware address by it, across the bridge.
	text.WriteString("    icmpv6 type { nd-router-solicit, nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept\n")
	for _, one := range []way{egressWay, ingressWay} {
		for _, family := range []string{"ip", "ip6"} {
			if verdicts := jumps[one][family]; len(verdicts) > 0 {
				fmt.Fprintf(&text, "    %s %s vmap { %s }\n", family, one.pod, strings.Join(verdicts, ", "))
			}
		}
	}
	text.WriteString("  }\n}\n")
	return text.String()
}

func writeChain(text *strings.Builder, name string, on way, pod isolatedPod, allowed []rule) {
	fmt.Fprintf(text, "  chain %s {\n", name)
	for _, ip := range pod.ips {
		// A pod that reaches itself by a Service goes out and comes in again.
		fmt.Fprintf(text, "    %s %s %s return\n", familyOf(ip), on.peer, ip)
	}
	for _, each := range allowed {
		for _, peers := range peerMatches(each, on.peer) {
			for _, ports := range portMatches(each) {
				fmt.Fprintf(text, "    %s\n", strings.Join(strings.Fields(peers+" "+ports+" return"), " "))
			}
		}
	}
	text.WriteString("    drop\n  }\n")
}

// The empty match is everybody.
func peerMatches(of rule, end string) []string {
	if of.anyPeer {
		return []string{""}
	}
	addresses := map[string][]string{}
	found := []string{}
	for _, each := range of.peers {
		family := familyOf(each.network.Addr())
		if each.network.IsSingleIP() {
			addresses[family] = append(addresses[family], each.network.Addr().String())
			continue
		}
		match := fmt.Sprintf("%s %s %s", family, end, each.network)
		if each.network.Bits() == 0 {
			// nftables knows no network of all addresses.
			match = "meta nfproto " + map[string]string{"ip": "ipv4", "ip6": "ipv6"}[family]
		}
		for _, except := range each.except {
			match += fmt.Sprintf(" %s %s != %s", family, end, except)
		}
		found = append(found, match)
	}
	for _, family := range []string{"ip", "ip6"} {
		if list := addresses[family]; len(list) > 0 {
			found = append(found, fmt.Sprintf("%s %s { %s }", family, end, strings.Join(distinct(list), ", ")))
		}
	}
	return found
}

// The empty match is everything.
func portMatches(of rule) []string {
	if of.anyPort {
		return []string{""}
	}
	found := []string{}
	for _, each := range of.ports {
		protocol := strings.ToLower(string(each.protocol))
		switch {
		case each.first == 0:
			found = append(found, "meta l4proto "+protocol)
		case each.first == each.last:
			found = append(found, fmt.Sprintf("%s dport %d", protocol, each.first))
		default:
			found = append(found, fmt.Sprintf("%s dport %d-%d", protocol, each.first, each.last))
		}
	}
	return found
}

// Two selectors may find the same pod.
func distinct(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

func familyOf(ip netip.Addr) string {
	if ip.Is4() {
		return "ip"
	}
	return "ip6"
}
