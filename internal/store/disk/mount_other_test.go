//go:build !linux

package disk

import "errors"

func mountTmpfs(string, string) error { return errors.ErrUnsupported }

func unmount(string) {}
