package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"
	"time"
)

const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token"

// Which of the routers it is that answers.
type identity struct{ pod, node, started string }

// The Deployment has no variable for its pod's name, and on the host network the host name is the node's; but the token
// of the service account is bound to the pod, and names it and its node.
func whoAmI(env func(string) string) identity {
	var claims struct {
		Kubernetes struct {
			Pod, Node struct{ Name string }
		} `json:"kubernetes.io"`
	}
	if token, err := os.ReadFile(tokenFile); err == nil {
		if parts := strings.Split(string(token), "."); len(parts) == 3 {
			payload, _ := base64.RawURLEncoding.DecodeString(parts[1])
			_ = json.Unmarshal(payload, &claims) // Without it, the names below do.
		}
	}
	host, _ := os.Hostname()
	return identity{
		pod:     first(env("POD_NAME"), claims.Kubernetes.Pod.Name, "router-"+strings.ToLower(rand.Text()[:8])),
		node:    first(env("NODE_NAME"), claims.Kubernetes.Node.Name, host, "unknown"),
		started: time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
	}
}

func first(names ...string) string {
	for _, name := range names {
		if name != "" {
			return name
		}
	}
	return ""
}
