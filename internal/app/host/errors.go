package host

import (
	"errors"
	"net"
	"os"
	"syscall"

	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

// What can be wrong, besides the errors of package disk. The text that wraps
// them says what to do.
var (
	ErrUsage     = errors.New("wrong usage")
	ErrPortInUse = errors.New("the port is in use")
	ErrNoNode    = errors.New("no node answers")
)

// Exit codes of the program (docs/host.md).
const (
	ExitOK        = 0
	ExitFailure   = 1
	ExitUsage     = 2
	ExitPortInUse = 3
	ExitInUse     = 4 // the world is open in another process
	ExitNoWorld   = 5 // no such world (key, authority), or the name is taken
	ExitDiskFull  = 6
	ExitNoNode    = 7 // nothing answers at the address
	ExitData      = 8 // damaged, not valid here, written by a newer version, or no permission
)

// ExitCode returns the exit code for an error.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrUsage), errors.Is(err, worldfs.ErrName), errors.Is(err, keyring.ErrName):
		return ExitUsage
	case errors.Is(err, ErrPortInUse), errors.Is(err, syscall.EADDRINUSE):
		return ExitPortInUse
	case errors.Is(err, disk.ErrInUse):
		return ExitInUse
	case isNoWorld(err), errors.Is(err, worldfs.ErrExists), errors.Is(err, keyring.ErrNone), errors.Is(err, keyring.ErrExists), errors.Is(err, authority.ErrNone), errors.Is(err, authority.ErrExists), errors.Is(err, worldfs.ErrTaken):
		return ExitNoWorld
	case errors.Is(err, machine.ErrDiskFull), errors.Is(err, syscall.ENOSPC):
		return ExitDiskFull
	case errors.Is(err, ErrNoNode), errors.Is(err, syscall.ECONNREFUSED):
		return ExitNoNode
	case errors.Is(err, disk.ErrDamaged), errors.Is(err, disk.ErrNewer), errors.Is(err, worldfs.ErrNewer), errors.Is(err, worldfs.ErrFile), errors.Is(err, worldfs.ErrSize), errors.Is(err, files.ErrLink), errors.Is(err, disk.ErrPermission), errors.Is(err, files.ErrKind),
		errors.Is(err, keyring.ErrDamaged), errors.Is(err, keyring.ErrNewer), errors.Is(err, keyring.ErrExposed), errors.Is(err, authority.ErrNewer), errors.Is(err, authority.ErrDamaged), errors.Is(err, keyring.ErrPaper), errors.Is(err, os.ErrPermission),
		errors.Is(err, identity.ErrCertificate), errors.Is(err, identity.ErrRevoked), errors.Is(err, identity.ErrExpired), errors.Is(err, identity.ErrRevocations),
		errors.Is(err, pack.ErrPack), errors.Is(err, packfolder.ErrMissing), errors.Is(err, packfolder.ErrDamaged), errors.Is(err, ErrNewPacks):
		return ExitData
	}
	return ExitFailure
}

func isNoWorld(err error) bool { return errors.Is(err, worldfs.ErrNone) }

// listenError explains why an address cannot be listened on.
// httpsError is listenError for the ports of TLS.
func httpsError(addr string, err error) error {
	if errors.Is(err, os.ErrPermission) {
		return &explained{err, "no permission to listen on " + addr + " for HTTPS: give the program the right to (setcap cap_net_bind_service=+ep FILE, or AmbientCapabilities in the systemd unit), or forward the port to another one and use --tls-listen"}
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return &explained{ErrPortInUse, "another program uses " + addr + ", which is for HTTPS: stop that program, or choose another address with --tls-listen and --tls-plain"}
	}
	return listenError(addr, err)
}

func listenError(addr string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return &explained{ErrPortInUse, "another program uses " + addr + ": choose another port with --port, or stop that program (is a world already open?)"}
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return &explained{err, "this machine does not have the address " + addr + ": use one of its own, or 0.0.0.0 for all of them"}
	case errors.Is(err, os.ErrPermission):
		return &explained{err, "no permission to listen on " + addr + ": use a port above 1023"}
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return &explained{ErrUsage, "the address " + addr + " is not known: write it as HOST:PORT, for example 0.0.0.0:4747"}
	}
	return err
}

// explained is an error with a text of its own for a person.
type explained struct {
	err  error
	text string
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }
