package main

import (
	"fmt"
	"strconv"
	"time"
)

type settings struct {
	httpPort, httpsPort, statsPort string
	proxyProtocol                  bool
	certificateDirectory           string
	leaveAfter                     time.Duration
}

// The variables that OpenShift's router reads, with its defaults; and LEAVE_AFTER, in seconds.
func settingsFrom(env func(string) string) (settings, error) {
	or := func(name, otherwise string) string {
		if value := env(name); value != "" {
			return value
		}
		return otherwise
	}
	seconds, err := strconv.ParseFloat(or("LEAVE_AFTER", "20"), 64)
	if err != nil {
		return settings{}, fmt.Errorf("LEAVE_AFTER is no number of seconds: %w", err)
	}
	return settings{
		httpPort:             or("ROUTER_SERVICE_HTTP_PORT", "80"),
		httpsPort:            or("ROUTER_SERVICE_HTTPS_PORT", "443"),
		statsPort:            or("STATS_PORT", "1936"),
		proxyProtocol:        env("ROUTER_USE_PROXY_PROTOCOL") == "true",
		certificateDirectory: env("DEFAULT_CERTIFICATE_DIR"),
		leaveAfter:           time.Duration(seconds * float64(time.Second)),
	}, nil
}
