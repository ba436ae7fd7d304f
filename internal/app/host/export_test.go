package host

import "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"

// Silence lets the node fall silent towards other nodes without a farewell, as
// if its cable had been pulled.
func (h *Host) Silence() error { return h.peers.socket.Close() }

// Accuse is what the node does with evidence.
func (h *Host) Accuse(e overlay.Evidence) { h.evidence.take(e) }
