package host

import (
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// operatorCommands runs the chat commands of operators that concern the nodes of the world.
type operatorCommands struct {
	onLoop     func(do func() error) error
	node       func() *node.Node
	peers      *peers // nil: this is the world's only node
	loadAccess func() error
}

// command runs a chat command of an operator at this machine that concerns the nodes of
// the world: who may host it (/hosts), what earlier states they keep (/states).
func (c operatorCommands) command(player id.ID, words []string) (answer string, mine bool) {
	if len(words) == 0 || c.peers == nil {
		return "", false
	}
	hosts := strings.EqualFold(words[0], "hosts") && c.peers.invites != nil
	if !hosts && !strings.EqualFold(words[0], "states") || !c.isOperator(player) {
		return "", false // the lobby says that it is for operators
	}
	if !hosts {
		return c.states(words[1:]), true
	}
	switch args := words[1:]; {
	case len(args) == 0 || len(args) == 1 && args[0] == "list":
		return c.listHosts(), true
	case len(args) == 2 && args[0] == "remove":
		n, err := c.peers.invites.Remove(args[1])
		if err == nil {
			err = c.loadAccess()
		}
		if err != nil {
			return "The node was not removed: " + err.Error() + ".", true
		}
		return n.RemovedText(), true
	}
	return "Usage: /hosts list | remove <id>", true
}

// isOperator reports whether the log of decisions has a player as an operator.
func (c operatorCommands) isOperator(player id.ID) (is bool) {
	err := c.onLoop(func() error {
		is = c.node().IsOperator(player)
		return nil
	})
	return err == nil && is
}

// listHosts is the answer to /hosts.
func (c operatorCommands) listHosts() string {
	nodes := c.peers.access.Nodes()
	if len(nodes) == 0 {
		return "No other node has hosted this world."
	}
	list := c.peers.access.List()
	var ids []id.ID
	for _, n := range nodes {
		ids = append(ids, n.Node)
	}
	var lines []string
	for _, n := range nodes {
		line := fmt.Sprintf("%s, last seen %s", Digits(n.Node, ids), n.Last.Format("2006-01-02 15:04"))
		if !n.Invitation.IsZero() {
			line += ", invited by " + n.Invitation.Short()
		}
		if list != nil && list.HasRemoved(n.Node) {
			line += ", removed"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
