package client

// Unanswered is how many steps the node has not acknowledged.
func (m *Mirror) Unanswered() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.me.pending)
}
