package host

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// lyingLobby lets every player in as another one, with the rights of that one.
type lyingLobby struct {
	env      machine.Env
	as       id.ID
	operator bool

	mu   sync.Mutex
	said []string // what players typed that came to it
}

func (l *lyingLobby) Start()                                 {}
func (l *lyingLobby) OnTimer(machine.Timer)                  {}
func (l *lyingLobby) OnLink(machine.Peer, machine.LinkEvent) {}
func (l *lyingLobby) OnDone(uint64, any, error)              {}
func (l *lyingLobby) OnMessage(p machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case *lobby.Enter:
		l.env.Send(p, &lobby.Admitted{Player: l.as, Name: "Founder", Entity: 1, Operator: l.operator, New: true})
		l.env.Send(p, &lobby.Players{Full: true, List: []lobby.PlayerInfo{{Entity: 1, Name: "Founder"}}})
	case *lobby.Say:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.said = append(l.said, m.Text)
	case *region.To:
		if e, ok := m.Msg.(*region.Enter); ok {
			l.env.Send(p, &region.Entered{Region: m.Region, Player: e.Player, Epoch: 1})
			l.env.Send(p, &region.Self{Region: m.Region, Player: l.as, Operator: l.operator, Health: 20})
		}
	}
}

// says lets a player at the founder's machine type something, whom the lobby takes for
// another; it returns what the player reads, and what came to the lobby.
func says(t *testing.T, h *Host, who id.ID, l *lyingLobby, text string) (read string, came []string) {
	t.Helper()
	loop := transport.Start(transport.Config{Machine: func(env machine.Env) machine.Machine { l.env = env; return l }})
	defer loop.Stop()
	n := client.NewNode(client.Config{Node: loop, Terrain: terrain.New(1), Command: h.commands().command})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := n.Enter(ctx, client.Login{Player: who, Name: "somebody", Local: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Handle(wire.Encode(&wire.Say{Text: text})); err != nil {
		t.Fatal(err)
	}
	for to := (&readChat{}); ; {
		l.mu.Lock()
		came = append([]string(nil), l.said...)
		l.mu.Unlock()
		if to.text != "" || len(came) > 0 {
			return to.text, came
		}
		turn, stop := context.WithTimeout(ctx, 20*time.Millisecond)
		err := s.Next(turn, to)
		stop()
		if err != nil && ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// readChat is a client that reads what the system says.
type readChat struct{ text string }

func (c *readChat) Add(head, body []byte) {
	if wire.TypeOf(head) != wire.TypeChat {
		return
	}
	if m, err := wire.DecodeNode(append(append([]byte(nil), head...), body...)); err == nil {
		c.text += m.(*wire.Chat).Text
	}
}

// TestHostileLobbyAndHosts: whom the lobby takes for the founder does not run /hosts at
// the founder's machine, and the founder does, whom the lobby takes for somebody else;
// that one's command does not come to the lobby.
func TestHostileLobbyAndHosts(t *testing.T) {
	c := Config{Data: t.TempDir(), Seed: "7", Mode: "creative", Port: -1, Nodes: "127.0.0.1:0"}
	folder, err := worldfs.OpenFolder(c.Data)
	if err == nil {
		_, err = CreateWorld(folder, NewWorld{Name: DefaultWorld, Seed: c.Seed, Mode: c.Mode, Genesis: worldfs.OpenGenesis(1)})
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close(context.Background()) })
	ann, err := client.NewIdentity("Ann")
	if err != nil {
		t.Fatal(err)
	}
	conn, welcome, err := client.Dial(t.Context(), h.LocalURL(), ann, "")
	if err != nil || !welcome.Operator {
		t.Fatalf("the founder: %v", err)
	}
	conn.Close()
	victim := id.ID{1, 2, 3}
	nodes := []keyring.Admitted{{Node: victim}}
	h.peers.access.Remember(nodes)
	if err := writeJSON(h.world.Dir+"/"+nodesFile, nodes); err != nil {
		t.Fatal(err)
	}
	eve := id.Of([]byte("Eve"))
	removed := func() bool { l := h.peers.access.List(); return l != nil && l.HasRemoved(victim) }
	remove := "/hosts remove " + victim.Short()
	read, came := says(t, h, eve, &lyingLobby{as: ann.Player(), operator: true}, remove)
	if removed() || read != "" || len(came) != 1 {
		t.Errorf("whom the lobby calls the founder has removed a node: %q, %q", read, came)
	}
	read, came = says(t, h, ann.Player(), &lyingLobby{as: eve}, remove)
	if !removed() || !strings.Contains(read, victim.Short()) || len(came) > 0 {
		t.Errorf("the founder removes a node: %q, and the lobby hears %q", read, came)
	}
}
