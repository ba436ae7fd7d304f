package host

// Silence lets the node fall silent towards other nodes without a farewell, as
// if its cable had been pulled.
func (h *Host) Silence() error { return h.peers.socket.Close() }
