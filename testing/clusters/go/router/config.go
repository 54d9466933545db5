package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const configDirectory = "/var/lib/haproxy"

// OpenShift's router makes its configuration from what lies in this directory and writes it there. Where the directory is
// there, a volume that was not filled, or that may not be written, is an error here, too.
func writeConfig(directory string) error {
	if _, err := os.Stat(directory); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	template, err := os.ReadFile(filepath.Join(directory, "conf", "haproxy-config.template"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(directory, "conf", "haproxy.config"), template, 0o664)
}
