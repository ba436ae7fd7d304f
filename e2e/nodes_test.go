package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"
)

// flat are places to stand on the land that grows from seed 7 (server.start), in
// several regions.
var flat = [][3]int{{148, 67, 23}, {148, 65, 148}, {276, 65, 294}, {187, 66, 410}, {166, 67, 282}}

// startNode starts a node that other nodes can join, or that joins others.
func startNode(t *testing.T, join ...*server) *server {
	t.Helper()
	port := freePort(t)
	s := &server{t: t, data: t.TempDir(), args: []string{"--ntp", "none", "--nodes", fmt.Sprintf("127.0.0.1:%d", port)}}
	if len(join) == 0 {
		s.args = append(s.args, "--hosting", "open")
	}
	for _, o := range join {
		s.args = append(s.args, "--join", fmt.Sprintf("127.0.0.1:%d", o.port()))
	}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the node's log:\n%s", s.log.String())
		}
	})
	s.start(port)
	return s
}

// freePort finds a port that is free for TCP and UDP.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		u, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := u.LocalAddr().(*net.UDPAddr).Port
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		u.Close()
		if err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

// hosting is the part of a node's status that says who hosts what.
type hosting struct {
	Node      string
	Leads     int
	Replicas  int
	Links     int
	Convicted []string
	Shards    []struct {
		Shard, Role, Leader string
		Members             []string
	}
	Storage *struct {
		Looked int64 `json:"observed_at"`
	}
}

// hosting asks a node.
func (s *server) hosting() (h hosting) {
	s.t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.reachable()+"status", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.secret())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.log.String())
	}
	defer res.Body.Close()
	var status struct{ Hosting hosting }
	if err := json.NewDecoder(res.Body).Decode(&status); err != nil {
		s.t.Fatal(err)
	}
	return status.Hosting
}

// until waits for what a node says of its share.
func (s *server) until(what string, ok func(hosting) bool) hosting {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(poll) {
		h := s.hosting()
		if ok(h) {
			return h
		}
		if time.Now().After(end) {
			s.t.Fatalf("waited in vain for %s: %+v", what, h)
		}
	}
}

// leader is who leads a part, as a node knows it; "": it does not.
func (h hosting) leader(part string) string {
	for _, p := range h.Shards {
		if p.Shard == part {
			return p.Leader
		}
	}
	return ""
}

// partAt is the region that a player is in.
func partAt(s state) string {
	return fmt.Sprintf("%d,%d", int(s.Pos[0])>>7, int(s.Pos[2])>>7)
}

// sayUntil says something until it has happened: what is said while the lobby
// gets another host may be lost.
func (p *player) sayUntil(text, what string, ok func(state) bool) state {
	p.t.Helper()
	said := time.Time{}
	return p.until(what, func(s state) bool {
		if ok(s) {
			return true
		}
		if time.Since(said) > 15*time.Second {
			said = time.Now()
			p.say(text)
		}
		return false
	})
}

// tp teleports the player, an operator.
func (p *player) tp(x, y, z int) state {
	p.t.Helper()
	return p.sayUntil(fmt.Sprintf("/tp %d %d %d", x, y, z), fmt.Sprintf("to be at %d %d", x, z), func(s state) bool {
		return s.Ready && sq(s.Pos[0]-float64(x))+sq(s.Pos[2]-float64(z)) < 9 && p.block(x, y, z) >= 0 && p.block(x, y-1, z) >= 0
	})
}

// mode is how the player plays from now on: survival 0, spectator 2.
func (p *player) mode(name string, mode int) {
	p.t.Helper()
	p.sayUntil("/gamemode "+name, "to play in "+name+" mode", func(s state) bool { return s.Mode == mode })
}

// stand brings a player to a flat place, in survival. Who was a spectator is one
// until it is there: it may have been high up in the air.
func (p *player) stand(place [3]int) {
	p.t.Helper()
	p.tp(place[0], place[1], place[2])
	p.mode("survival", 0)
	p.until("to stand", func(s state) bool { return s.OnGround })
}

// TestThreeNodes is issue 3's first show: a world of three nodes, a browser on
// the third that walks over regions of all three and builds. The first node is
// killed and play goes on; it comes back and takes its share again.
func TestThreeNodes(t *testing.T) {
	one := startNode(t)
	two := startNode(t, one)
	three := startNode(t, one)
	nodes := map[string]*server{}
	for _, s := range []*server{one, two, three} {
		nodes[s.hosting().Node[:8]] = s
	}
	ann := newPlayer(t, "Ann")
	ann.open(three.page())
	ann.enter()
	makeOperator(t, one, ann)

	of := tour(t, ann, three, nodes)
	var built []spot
	for _, place := range flat[:2] {
		ann.stand(place)
		_, block := buildAlone(ann)
		built = append(built, block)
	}
	first := one.hosting()

	one.kill()
	ann.mode("spectator", 2)
	at := of[first.Node[:8]]
	here := ann.tp(at[0], at[1], at[2])
	three.until("somebody else to lead "+partAt(here), func(h hosting) bool {
		l := h.leader(partAt(here))
		return l != "" && l != first.Node[:8]
	})
	for _, place := range flat[2:4] {
		ann.stand(place)
		_, block := buildAlone(ann)
		built = append(built, block)
	}

	one.again()
	one.until("the first to have copies again", func(h hosting) bool { return h.Replicas > 0 })
	// What it is nearest to comes to it again once nobody is there.
	ann.mode("spectator", 2)
	ann.tp(at[0], at[1], at[2])
	ann.tp(at[0]+1024, at[1], at[2]+1024)
	one.until("the first to lead again", func(h hosting) bool { return h.Leads > 0 })
	ann.stand(flat[4])
	_, block := buildAlone(ann)
	built = append(built, block)

	// A browser that knows nothing yet has all that was built.
	ann.open(three.page())
	ann.enter()
	ann.mode("spectator", 2)
	for _, b := range built {
		ann.tp(b.x, b.y+3, b.z)
		ann.until(fmt.Sprintf("to see what was built: %+v", b), func(state) bool { return ann.block(b.x, b.y, b.z) == b.block })
	}
	if s := ann.state(); s.Garbage > 0 || len(ann.errors) > 0 {
		t.Errorf("%d frames could not be read, exceptions %v", s.Garbage, ann.errors)
	}
}

// makeOperator lets the founder's player make somebody an operator.
func makeOperator(t *testing.T, founder *server, who *player) {
	t.Helper()
	bo := newPlayer(t, "Bo")
	bo.open(founder.page())
	bo.enter()
	bo.until("to see "+who.name+" on the list", func(s state) bool { return len(s.Players) == 2 })
	bo.sayUntil("/op "+who.name, who.name+" to be an operator", func(s state) bool {
		for _, l := range who.state().Chat {
			if l.Text == "You are an operator now." {
				return true
			}
		}
		return false
	})
	bo.quit()
}

// tour flies over regions until some of each node were among them, and says
// where these are.
func tour(t *testing.T, p *player, by *server, nodes map[string]*server) map[string][3]int {
	t.Helper()
	p.mode("spectator", 2)
	of := map[string][3]int{}
	for i := range 49 {
		x, z := (i%7-2)*128+64, (i/7-1)*128+64
		s := p.tp(x, 120, z)
		h := by.until("a leader of "+partAt(s), func(h hosting) bool { return nodes[h.leader(partAt(s))] != nil })
		if l := h.leader(partAt(s)); of[l] == [3]int{} {
			of[l] = [3]int{x, 120, z}
		}
		if len(of) == len(nodes) {
			return of
		}
	}
	t.Fatalf("of %d nodes only %d lead a region", len(nodes), len(of))
	return nil
}
