//go:build !unix

package lab

import (
	"errors"
	"os"
)

func StopProcess(*os.Process) error { return errors.ErrUnsupported }
func ContProcess(*os.Process) error { return errors.ErrUnsupported }
