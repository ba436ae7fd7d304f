package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// liar is a node of the experiments' program: it hosts the world like any other, until it
// is told to lie.
type liar struct {
	t       *testing.T
	orders  io.Writer
	reports *json.Decoder
}

// nodeOrder and nodeReport are what it understands and says (nodelab.NodeOrder, NodeReport).
type nodeOrder struct {
	Data   string   `json:",omitempty"`
	Join   []string `json:",omitempty"`
	Region *xz      `json:",omitempty"`
	Place  *xyz     `json:",omitempty"`
	Lie    string   `json:",omitempty"`
}

type xz struct{ X, Z int }

type xyz struct{ X, Y, Z int }

// startLiar starts one that joins a node.
func startLiar(t *testing.T, join *server) *liar {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "vplab")
	build := exec.Command("go", "build", "-o", program, "./cmd/vplab")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, stop := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), "VOXELPOPULI_LAB_CHILD=host")
	cmd.Stderr = os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if errIn != nil || errOut != nil {
		t.Fatal(errIn, errOut)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = cmd.Wait() })
	l := &liar{t, in, json.NewDecoder(out)}
	l.do(nodeOrder{Data: filepath.Join(dir, "data"), Join: []string{fmt.Sprintf("127.0.0.1:%d", join.port())}})
	return l
}

// do gives it an order.
func (l *liar) do(o nodeOrder) {
	l.t.Helper()
	b, err := json.Marshal(o)
	if err == nil {
		_, err = l.orders.Write(append(b, '\n'))
	}
	var r struct{ Error string }
	if err == nil {
		err = l.reports.Decode(&r)
	}
	if err != nil || r.Error != "" {
		l.t.Fatalf("%v, %s", err, r.Error)
	}
}

// leads is the id of a node that is none of these, and a place on the grass of a region that
// it leads.
func (s *server) leads(p *player, known ...string) (string, [3]int) {
	s.t.Helper()
	p.mode("spectator", 2)
	leader := func(at string) string {
		h := s.until("three hosts of "+at, func(h hosting) bool {
			for _, part := range h.Shards {
				if part.Shard == at {
					return part.Leader != "" && len(part.Members) == 3
				}
			}
			return false
		})
		if l := h.leader(at); !strings.Contains(strings.Join(known, " "), l) {
			return l
		}
		return ""
	}
	grass := 0
	for _, place := range flat {
		at := partAt(p.tp(place[0], place[1]+2, place[2]))
		grass = p.block(place[0], place[1]-1, place[2])
		if l := leader(at); l != "" {
			return l, place
		}
	}
	for i := range 36 {
		x, z := (i%6-1)*128+64, (i/6)*128+64
		l := leader(partAt(p.tp(x, 120, z)))
		for k := 0; l != "" && k < 25; k++ {
			at := [3]int{x + (k%5-2)*8, 110, z + (k/5-2)*8}
			for at[1] > 60 && p.block(at[0], at[1]-1, at[2]) <= 0 {
				at[1]--
			}
			if p.block(at[0], at[1]-1, at[2]) == grass {
				return l, at
			}
		}
	}
	s.t.Fatal("the liar leads no region with grass")
	return "", [3]int{}
}

// TestLyingHost: two players build in a region whose host begins to lie. Within seconds
// another host leads it, both are told why, what they built is there, and the proof that
// their nodes have written down explains what was done.
func TestLyingHost(t *testing.T) {
	one := startNode(t)
	two := startNode(t, one)
	lying := startLiar(t, one)
	ann := newPlayer(t, "Ann")
	ann.open(two.page())
	ann.enter()
	makeOperator(t, one, ann)
	guilty, place := two.leads(ann, one.hosting().Node, two.hosting().Node)
	cleo := newPlayer(t, "Cleo")
	cleo.open(one.page())
	cleo.enter()
	ann.stand(place)
	ann.say("/tp Cleo Ann")
	cleo.until("to be with Ann", func(s state) bool { return distance(s.Pos, ann.state().Pos) < 3 })
	ann.until("to see Cleo", func(s state) bool { _, ok := s.other("Cleo"); return ok })
	walk(t, cleo, ann) // otherwise they would look at each other
	at := partAt(ann.state())
	first := build(t, ann, cleo)
	second := build(t, cleo, ann)
	for _, p := range []*player{ann, cleo} { // notices go after some seconds
		p.eval(`(() => { window.told = []; new MutationObserver(() => {
			for (const n of document.querySelectorAll('.notice')) if (!told.includes(n.textContent)) told.push(n.textContent);
		}).observe(document.querySelector('.notices'), { childList: true }); return 0 })()`, nil)
	}
	told := func(p *player) (all []string) {
		p.eval("window.told", &all)
		return all
	}

	began := time.Now()
	var region xz
	if _, err := fmt.Sscanf(at, "%d,%d", &region.X, &region.Z); err != nil {
		t.Fatal(err)
	}
	lying.do(nodeOrder{Region: &region, Place: &xyz{first.x, first.y, first.z}, Lie: "drops an acknowledged edit"})
	two.until("another host of "+at, func(h hosting) bool { l := h.leader(at); return l != "" && l != guilty })
	t.Logf("another host leads after %v", time.Since(began).Round(time.Millisecond))
	for _, p := range []*player{ann, cleo} {
		p.until("to be told why", func(state) bool { return strings.Contains(strings.Join(told(p), " "), "the previous one was caught") })
	}
	third := build(t, ann, cleo)
	for _, p := range []*player{ann, cleo} {
		for _, b := range []spot{first, second, third} {
			p.until(fmt.Sprintf("to see what was built: %+v", b), func(state) bool { return p.block(b.x, b.y, b.z) == b.block })
		}
		if s := p.state(); s.Garbage > 0 || len(p.errors) > 0 {
			t.Errorf("%s: %d frames could not be read, exceptions %v", p.name, s.Garbage, p.errors)
		}
	}
	for _, s := range []*server{one, two} {
		s.until("to have convicted it", func(h hosting) bool { return len(h.Convicted) == 1 && strings.HasPrefix(h.Convicted[0], guilty) })
		files, err := filepath.Glob(filepath.Join(s.data, "worlds", "*", "evidence.jsonl"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		out, err := exec.Command(bin, "evidence", "check", files[0]).CombinedOutput()
		t.Logf("%s", out)
		// Whoever is first: the followers who replay, or the node of a player who is not
		// shown what the host has done.
		explained := strings.Contains(string(out), "against its rules") || strings.Contains(string(out), "showed players of another node")
		if err != nil || !explained || !strings.Contains(string(out), fmt.Sprintf("the region %s of the world", at)) {
			t.Errorf("evidence check: %v", err)
		}
	}
}
