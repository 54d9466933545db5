// Stands in for OpenShift's router: the ports, probes, variables and exit codes that the Deployment of a router relies
// on, and the way it drains. It routes nothing: it answers each request with who answered and what it saw.
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var keepGoing = flag.Bool("keep-going-without-port", false,
	"as OpenShift's router does where HAProxy cannot listen: log it, never become ready, and end with exit code 0")

type router struct {
	settings  settings
	identity  identity
	listening bool
	draining  atomic.Bool
	servers   []*http.Server
}

func main() {
	flag.Parse()
	settings, err := settingsFrom(os.Getenv)
	if err != nil {
		fail(err)
	}
	if err := writeConfig(configDirectory); err != nil {
		fail(err)
	}
	r := &router{settings: settings, identity: whoAmI(os.Getenv), listening: true}
	if err := r.serve(); err != nil {
		fail(err)
	}
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM, syscall.SIGINT)
	<-terminated
	r.drain()
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (r *router) serve() error {
	certificate, err := certificateFrom(r.settings.certificateDirectory)
	if err != nil {
		return err
	}
	var stats, plain, secure net.Listener
	// "tcp" is both families.
	for _, each := range []struct {
		port     string
		listener *net.Listener
	}{{r.settings.statsPort, &stats}, {r.settings.httpPort, &plain}, {r.settings.httpsPort, &secure}} {
		*each.listener, err = net.Listen("tcp", ":"+each.port)
		if err != nil && !*keepGoing {
			return err
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			r.listening = false
		}
	}
	if stats != nil {
		go func() { _ = http.Serve(stats, r.statsHandler()) }()
	}
	if plain != nil {
		r.start(r.accepting(plain))
	}
	if secure != nil {
		// As HAProxy by default: no HTTP/2.
		r.start(tls.NewListener(r.accepting(secure), &tls.Config{
			Certificates: []tls.Certificate{certificate},
			NextProtos:   []string{"http/1.1"},
		}))
	}
	fmt.Fprintf(os.Stderr, "listening: pod=%s node=%s ready=%v\n", r.identity.pod, r.identity.node, r.listening)
	return nil
}

func (r *router) accepting(listener net.Listener) net.Listener {
	if r.settings.proxyProtocol {
		return proxyListener{listener}
	}
	return listener
}

func (r *router) start(listener net.Listener) {
	server := &http.Server{
		Handler:           r.trafficHandler(),
		ConnContext:       withPeer,
		ReadHeaderTimeout: time.Minute,
		// Who breaks off a handshake is no news; the last lines of the log are read where a router fails.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	r.servers = append(r.servers, server)
	go func() { _ = server.Serve(listener) }()
}

// Not ready at once, so that load balancers look elsewhere; served on until they have noticed.
func (r *router) drain() {
	r.draining.Store(true)
	fmt.Fprintf(os.Stderr, "draining for %s\n", r.settings.leaveAfter)
	time.Sleep(r.settings.leaveAfter)
	var ended sync.WaitGroup
	for _, server := range r.servers {
		// Without a deadline of its own: the kubelet's ends it.
		ended.Go(func() { _ = server.Shutdown(context.Background()) })
	}
	ended.Wait()
}
