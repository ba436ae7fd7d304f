//go:build !unix

package lab

import (
	"errors"
	"os"
)

func stopProcess(*os.Process) error { return errors.ErrUnsupported }
func contProcess(*os.Process) error { return errors.ErrUnsupported }
