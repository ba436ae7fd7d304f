package host_test

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/worldcheck"
)

// TestDamagedShare: one of three nodes finds its share of a region damaged. It is
// not opened. Repaired it lacks the region, and is sent it by the other two.
func TestDamagedShare(t *testing.T) {
	slowtest.Skip(t, "takes longer than five seconds")
	one := start(t, shared(t))
	addr := one.NodeAddr().String()
	two := start(t, shared(t, addr))
	c := shared(t, addr, two.NodeAddr().String())
	three, err := host.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	ann := join(t, one, identity(t, "Ann"), "")
	place := put(t, ann)
	at := place.Column().Region()
	until(t, "three hosts", func() bool { return hostedBy(t, one, at, 3) && hostedBy(t, three, at, 3) })
	stop(t, three)

	f, err := worldfs.OpenFolder(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	space := region.Space(at)
	write(t, f, "home", machine.DiskWrite{Space: space, Put: []machine.KV{{Key: []byte("?"), Value: []byte("x")}}})
	if _, err := host.Start(c); !errors.Is(err, disk.ErrDamaged) || host.ExitCode(err) != host.ExitData || strings.Contains(err.Error(), "\n") {
		t.Fatalf("a damaged world is opened: %v", err)
	}
	r, made, err := worldcheck.Repair(f, "home", "")
	if err != nil || !r.Shared || len(made.Fetched) != 1 || len(made.Lost) != 0 {
		t.Fatalf("%+v %+v %v", r, made, err)
	}
	if got := spaces(t, f, made.Name); slices.Contains(got, space) || slices.Contains(got, "g."+space) {
		t.Fatalf("the copy has the damaged region: %v", got)
	}
	three = start(t, c) // of the two folders with the world it takes the copy
	if three.World().Name != made.Name {
		t.Fatalf("%q was opened", three.World().Name)
	}
	until(t, "three hosts again", func() bool { return hostedBy(t, three, at, 3) })
	stop(t, three)
	if got := spaces(t, f, made.Name); !slices.Contains(got, space) {
		t.Fatalf("the region was not fetched: %v", got)
	}
	if r, err := worldcheck.Check(f, made.Name); err != nil || !r.OK() {
		t.Fatalf("%+v %v", r, err)
	}
	if got, ok := ann.Blocks().Block(place); !ok || got != world.Bricks {
		t.Errorf("the block is %v", got)
	}
}

func write(t *testing.T, f *worldfs.Folder, name string, w machine.DiskWrite) {
	t.Helper()
	o, err := f.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.Store.Apply(w), o.Close()); err != nil {
		t.Fatal(err)
	}
}

func spaces(t *testing.T, f *worldfs.Folder, name string) []string {
	t.Helper()
	o, err := f.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	out, err := o.Store.Spaces()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestUDPPortInUse: it is said what to do when the nodes' port is taken.
func TestUDPPortInUse(t *testing.T) {
	taken, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := shared(t)
	c.Nodes = taken.LocalAddr().String()
	if h, err := host.Start(c); err == nil || host.ExitCode(err) != host.ExitPortInUse || !strings.Contains(err.Error(), "--port") {
		if err == nil {
			stop(t, h)
		}
		t.Errorf("%v", err)
	}
}
