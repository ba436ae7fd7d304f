package host

import (
	"context"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// TestHostileHostsCommand: /hosts asks the founder's own records: the signed log who is
// an operator, the node's handshakes who hosts. What the lobby says of players and nodes
// changes neither (node: TestHostileLobby has what it says), and a node with an id that
// begins like another's cannot make it impossible to name one of them.
func TestHostileHostsCommand(t *testing.T) {
	c := Config{Data: t.TempDir(), Seed: "7", Mode: "creative", Port: -1, Nodes: "127.0.0.1:0"}
	folder, err := worldfs.OpenFolder(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := CreateWorld(folder, NewWorld{Name: DefaultWorld, Seed: c.Seed, Mode: c.Mode, Genesis: worldfs.OpenGenesis(1)}); err != nil {
		t.Fatal(err)
	}
	h, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	honest, liar, other := id.ID{1, 2, 3, 4, 5, 6}, id.ID{1, 2, 3, 4, 5, 7}, id.ID{9}
	nodes := []keyring.Admitted{{Node: honest}, {Node: liar}, {Node: other}}
	h.peers.access.Remember(nodes)
	if err := writeJSON(h.world.Dir+"/"+nodesFile, nodes); err != nil {
		t.Fatal(err)
	}

	// Whoever the lobby calls an operator is none by the log: the command is not run.
	eve := id.Of([]byte("Eve"))
	for _, command := range []string{"hosts", "hosts list", "hosts remove " + honest.String(), "HOSTS remove " + other.String()} {
		if answer, mine := h.commands().command(eve, strings.Fields(command)); mine || answer != "" {
			t.Errorf("/%s of a player who is no operator by the log: %q", command, answer)
		}
	}
	if l, err := readAccess(h.world.Dir); err != nil || l != nil && len(l.Removed) > 0 {
		t.Fatalf("a node was removed: %+v, %v", l, err)
	}

	// The list has digits for each that name it alone, and removing by them hits it.
	list := h.commands().listHosts()
	for _, n := range nodes {
		if digits := Digits(n.Node, []id.ID{honest, liar, other}); strings.Count(list, digits) != 1 || !strings.HasPrefix(n.Node.String(), digits) {
			t.Errorf("%s is not to be told from the others: %q in %s", n.Node, digits, list)
		}
	}
	if _, err := h.peers.invites.Remove(honest.Short()); err == nil {
		t.Error("a node was removed by digits that two have")
	}
	digits, _, _ := strings.Cut(strings.Split(list, "\n")[1], ",") // sorted by id
	if n, err := h.peers.invites.Remove(digits); err != nil || n.Node != liar {
		t.Errorf("removed by %s: %v, %v", digits, n.Node, err)
	}
	if err := h.papers.loadAccess(); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(h.commands().listHosts(), "\n"); strings.Contains(lines[0], "removed") || !strings.HasSuffix(lines[1], ", removed") || strings.Contains(lines[2], "removed") {
		t.Errorf("then the list is %v", lines)
	}
	if h.peers.access.List().HasRemoved(honest) || !h.peers.access.List().HasRemoved(liar) {
		t.Error("the wrong node is removed")
	}
}
