package host

import (
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// command runs a chat command of an operator at this machine that concerns the nodes of
// the world: who may host it (/hosts), what earlier states they keep (/states).
func (h *Host) command(player id.ID, words []string) (answer string, mine bool) {
	if len(words) == 0 || h.peers == nil {
		return "", false
	}
	hosts := strings.EqualFold(words[0], "hosts") && h.peers.invites != nil
	if !hosts && !strings.EqualFold(words[0], "states") || !h.isOperator(player) {
		return "", false // the lobby says that it is for operators
	}
	if !hosts {
		return h.states(words[1:]), true
	}
	switch args := words[1:]; {
	case len(args) == 0 || len(args) == 1 && args[0] == "list":
		return h.listHosts(), true
	case len(args) == 2 && args[0] == "remove":
		n, err := h.peers.invites.Remove(args[1])
		if err == nil {
			err = h.loadAccess()
		}
		if err != nil {
			return "The node was not removed: " + err.Error() + ".", true
		}
		return n.RemovedText(), true
	}
	return "Usage: /hosts list | remove <id>", true
}

// isOperator reports whether the log of decisions has a player as an operator.
func (h *Host) isOperator(player id.ID) (is bool) {
	err := h.onLoop(func() error {
		is = h.node.IsOperator(player)
		return nil
	})
	return err == nil && is
}

// listHosts is the answer to /hosts.
func (h *Host) listHosts() string {
	nodes := h.peers.access.Nodes()
	if len(nodes) == 0 {
		return "No other node has hosted this world."
	}
	list := h.peers.access.List()
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
