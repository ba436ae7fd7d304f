package datachannel

import (
	"sync"
	"time"
)

// deadline is a channel that is closed when a time has passed, which may be changed.
type deadline struct {
	mu     sync.Mutex
	timer  *time.Timer
	closed chan struct{}
}

// passed is closed when the deadline that is set now has passed.
func (d *deadline) passed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current()
}

func (d *deadline) current() chan struct{} {
	if d.closed == nil {
		d.closed = make(chan struct{})
	}
	return d.closed
}

// set changes the deadline; the zero time means never.
func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil && !d.timer.Stop() {
		d.closed = nil // it has passed
	}
	d.timer = nil
	if t.IsZero() {
		return
	}
	ch := d.current()
	d.timer = time.AfterFunc(time.Until(t), func() { close(ch) })
}
