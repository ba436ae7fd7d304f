package linklab

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/netns"
)

// badLine is a line between this machine and a network namespace whose packets get lost
// and come late, like the kernel's netem, which not every kernel has: two TUN devices
// with this program between them. So TCP is the kernel's own, with what it does about
// losses, and UDP passes the same line.
type badLine struct {
	ns        string     // of the far end
	near, far netip.Addr // of the two ends
	ends      [2]*os.File
	gone      sync.WaitGroup

	mu     sync.Mutex
	rand   rng.Rand
	faults lineFaults
}

// lineFaults is what happens to each packet, in each direction.
type lineFaults struct {
	Loss          float64
	Delay, Jitter time.Duration // Delay ± Jitter: packets overtake each other
}

// linePacket is the largest packet of a TUN device.
const linePacket = 1 << 16

func openLine(seed uint64) (l *badLine, err error) {
	name := fmt.Sprintf("vpl%d", os.Getpid())
	l = &badLine{
		ns: name, rand: rng.New(seed), // of the addresses for measurements (RFC 2544)
		near: netip.AddrFrom4([4]byte{198, 18, 0, 1}), far: netip.AddrFrom4([4]byte{198, 18, 0, 2}),
	}
	if err := netns.IP("netns add " + l.ns); err != nil {
		return nil, fmt.Errorf("a line with losses needs Linux, root and the program ip: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	for i := range l.ends {
		if l.ends[i], err = openTUN(fmt.Sprint(name, "-", i)); err != nil {
			return nil, err
		}
	}
	err = netns.IP(
		fmt.Sprintf("addr add %s peer %s dev %s-0", l.near, l.far, name),
		fmt.Sprintf("link set %s-0 up", name),
		fmt.Sprintf("link set %s-1 netns %s", name, l.ns),
		fmt.Sprintf("-n %s addr add %s peer %s dev %s-1", l.ns, l.far, l.near, name),
		fmt.Sprintf("-n %s link set %s-1 up", l.ns, name),
		fmt.Sprintf("-n %s link set lo up", l.ns))
	if err != nil {
		return nil, err
	}
	l.gone.Go(func() { l.carry(l.ends[0], l.ends[1]) })
	l.gone.Go(func() { l.carry(l.ends[1], l.ends[0]) })
	return l, nil
}

// close removes the line.
func (l *badLine) close() (err error) {
	for _, f := range l.ends {
		if f != nil {
			err = errors.Join(err, f.Close()) // the device goes with it
		}
	}
	l.gone.Wait()
	return errors.Join(err, netns.IP("netns del "+l.ns))
}

// on is the command by which programs are started at the far end.
func (l *badLine) on() []string { return []string{"ip", "netns", "exec", l.ns} }

func (l *badLine) set(f lineFaults) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = f
}

// fate is how late a packet arrives, if it does.
func (l *badLine) fate() (late time.Duration, arrives bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &l.faults
	if f.Loss > 0 && l.rand.Float64() < f.Loss {
		return 0, false
	}
	late = f.Delay
	if f.Jitter > 0 {
		late += time.Duration(l.rand.Intn(int(2*f.Jitter))) - f.Jitter
	}
	return late, true
}

// carry passes packets on until the device is closed.
func (l *badLine) carry(from, to *os.File) {
	b := make([]byte, linePacket)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		late, arrives := l.fate()
		if !arrives {
			continue
		}
		packet := append([]byte(nil), b[:n]...)
		time.AfterFunc(late, func() { _, _ = to.Write(packet) }) // the line may be gone by then
	}
}

func openTUN(name string) (*os.File, error) {
	const path = "/dev/net/tun"
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	ask, err := unix.NewIfreq(name)
	if err == nil {
		ask.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, ask)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make the network device %s: %w", name, err), unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), path), nil
}
