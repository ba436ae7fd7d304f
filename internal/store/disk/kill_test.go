package disk

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// childEnv names the folder that this test binary, run again, writes to.
const childEnv = "VOXELPOPULI_TEST_DISK_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		child(dir)
		return
	}
	os.Exit(m.Run())
}

// child writes batches as fast as it can, from several goroutines, and says
// which were acknowledged. It never ends by itself.
func child(dir string) {
	s, err := Open(dir)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	first, _ := strconv.Atoi(os.Getenv(childEnv + "_FROM"))
	out := make(chan int, 100)
	fmt.Println("open")
	const workers = 8
	for w := range workers {
		go func() {
			r := rand.New(rand.NewPCG(uint64(first), uint64(w)))
			for i := first + w; ; i += workers {
				if err := s.Apply(batch(i, 1+r.IntN(3000))); err != nil {
					fmt.Println("error", err)
					os.Exit(1)
				}
				out <- i
			}
		}()
	}
	for i := range out {
		fmt.Println(i) // straight into the pipe: nothing is buffered here
	}
}

// run starts the child and returns it with a scanner over what it says.
func run(t *testing.T, dir string, from int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), childEnv+"="+dir, fmt.Sprintf("%s_FROM=%d", childEnv, from))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child says %q", lines.Text())
	}
	return c, lines
}

// TestKill kills a process with SIGKILL while it writes, again and again: what
// it said was acknowledged is there, everything as a whole.
func TestKill(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	dir := filepath.Join(t.TempDir(), "db")
	rounds := 8
	if testing.Short() {
		rounds = 3
	}
	acked := map[int]bool{}
	const perRound = 1000000
	for round := range rounds {
		c, lines := run(t, dir, round*perRound)
		stop := 1 + r.IntN(2000)
		for n := 1; lines.Scan(); n++ {
			i, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
			acked[i] = true
			if n == stop {
				c.Process.Signal(syscall.SIGKILL)
			}
		}
		c.Wait()
		verify(t, dir, acked)
	}
	t.Logf("%d batches were acknowledged", len(acked))
}

// verify opens the folder and looks for every acknowledged batch.
func verify(t *testing.T, dir string, acked map[int]bool) {
	t.Helper()
	s, err := OpenWith(dir, Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kvs, err := s.Read(machine.DiskRead{Space: "t"})
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]string{}
	for _, p := range kvs {
		there[string(p.Key)] = string(p.Value)
	}
	for k, v := range there {
		if other := map[byte]string{'a': "b", 'b': "a"}[k[0]] + k[1:]; there[other] != v {
			t.Fatalf("batch %s is torn", k[1:])
		}
	}
	for i := range acked {
		if _, ok := there[fmt.Sprintf("a%06d", i)]; !ok {
			t.Fatalf("batch %d was acknowledged and is lost", i)
		}
	}
}

func TestInUseByAnotherProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	c, lines := run(t, dir, 0)
	go func() {
		for lines.Scan() { // the child must not wait for us
		}
	}()
	_, err := Open(dir)
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "another voxelpopuli") {
		t.Fatalf("opened beside another process: %v", err)
	}
	c.Process.Kill()
	s, err := OpenWith(dir, Options{Retry: 10 * time.Second, Log: quiet})
	if err != nil {
		t.Fatalf("after the other one was killed: %v", err)
	}
	s.Close()
	c.Wait()
}

// TestSmallDisk fills a real file system. It needs the right to mount one.
func TestSmallDisk(t *testing.T) {
	dir := t.TempDir()
	if err := mountTmpfs(dir, "64m"); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() { unmount(dir) })
	s := open(t, filepath.Join(dir, "db"), Options{Reserve: 8 << 20, Log: quiet})
	acked := map[int]bool{}
	full := 0
	for i := range 300 {
		err := s.Apply(batch(i, 200<<10))
		if err == nil {
			acked[i] = true
		} else if full++; !errors.Is(err, machine.ErrDiskFull) {
			t.Fatal(err)
		}
	}
	if full == 0 || len(acked) < 20 {
		t.Fatalf("%d taken, %d refused", len(acked), full)
	}
	// Somebody else takes the rest, and gives it back.
	other := filepath.Join(dir, "other")
	f, _ := os.Create(other)
	for err := error(nil); err == nil; {
		_, err = f.Write(make([]byte, 1<<20))
	}
	f.Close()
	if err := s.Apply(batch(300, 10)); !errors.Is(err, machine.ErrDiskFull) {
		t.Fatalf("on a full disk: %v", err)
	}
	s.Close()
	verify(t, filepath.Join(dir, "db"), acked)
	os.Remove(other)
}

func TestRealReadOnlyFolder(t *testing.T) {
	dir := t.TempDir()
	if os.Getuid() == 0 {
		if err := mountTmpfs(dir, "1m,ro"); err != nil {
			t.Skipf("root may write anywhere, and cannot mount here: %v", err)
		}
		t.Cleanup(func() { unmount(dir) })
	} else if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "db")); !errors.Is(err, ErrPermission) {
		t.Fatal(err)
	}
}
