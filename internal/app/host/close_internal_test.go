package host

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// TestCloseDoesNotWaitForBackups: what runs beside the node and does not end, such as a
// backup on a slow disk, holds up nobody who closes the world.
func TestCloseDoesNotWaitForBackups(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	h, err := Start(Config{Data: t.TempDir(), World: "castle", Create: true, Port: -1})
	if err != nil {
		t.Fatal(err)
	}
	ends := make(chan struct{})
	h.beside.Go(func() { <-ends })
	closed := make(chan error, 1)
	go func() { closed <- h.Close(t.Context()) }()
	select {
	case err := <-closed:
		if err == nil {
			t.Error("the backup is said to have ended")
		}
	case <-time.After(time.Minute):
		t.Error("the world does not close")
	}
	close(ends)
	h.beside.Wait()
	if err := h.world.Close(); err != nil {
		t.Error(err)
	}
}
