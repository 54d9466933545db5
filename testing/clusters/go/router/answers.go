package main

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Where load balancers of HAProxy's kind ask, on the ports of the traffic.
const internalHealth = "/_______internal_router_healthz"

func (r *router) statsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/healthz/ready", func(w http.ResponseWriter, _ *http.Request) {
		switch {
		case r.draining.Load():
			http.Error(w, "the router is draining", http.StatusInternalServerError)
		case !r.listening:
			http.Error(w, "the router does not listen on all of its ports", http.StatusInternalServerError)
		default:
			fmt.Fprintln(w, "ok")
		}
	})
	return mux
}

// /slow?ms=N answers after N milliseconds, /stream?ms=N goes on answering for as long; anything else at once.
func (r *router) trafficHandler() http.Handler {
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, q *http.Request) { fmt.Fprint(w, r.answer(q)) }
	mux.HandleFunc("/", answer)
	mux.HandleFunc(internalHealth, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/slow", func(w http.ResponseWriter, q *http.Request) {
		select {
		case <-time.After(duration(q)):
			answer(w, q)
		case <-q.Context().Done():
		}
	})
	mux.HandleFunc("/stream", r.stream)
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		// Read before a long answer begins, as any server does.
		if r.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		mux.ServeHTTP(w, q)
	})
}

func (r *router) stream(w http.ResponseWriter, q *http.Request) {
	end := time.After(duration(q))
	each := time.NewTicker(100 * time.Millisecond)
	defer each.Stop()
	for {
		fmt.Fprint(w, r.line(q))
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		select {
		case <-each.C:
		case <-end:
			fmt.Fprintln(w, "end")
			return
		case <-q.Context().Done():
			return
		}
	}
}

func duration(q *http.Request) time.Duration {
	milliseconds, _ := strconv.Atoi(q.URL.Query().Get("ms"))
	return time.Duration(milliseconds) * time.Millisecond
}

// A line of who answers and what it saw, then the request's headers, one a line.
func (r *router) answer(q *http.Request) string {
	var text strings.Builder
	text.WriteString(r.line(q))
	for _, name := range slices.Sorted(maps.Keys(q.Header)) {
		for _, value := range q.Header[name] {
			fmt.Fprintf(&text, "%s: %s\n", name, value)
		}
	}
	return text.String()
}

func (r *router) line(q *http.Request) string {
	_, port, _ := net.SplitHostPort(q.Context().Value(http.LocalAddrContextKey).(net.Addr).String())
	return fmt.Sprintf("pod=%s node=%s client=%s peer=%s host=%s port=%s proto=%s started=%s\n",
		r.identity.pod, r.identity.node, hostOf(q.RemoteAddr), hostOf(peerOf(q.Context())), q.Host, port,
		strings.TrimPrefix(q.Proto, "HTTP/"), r.identity.started)
}

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
