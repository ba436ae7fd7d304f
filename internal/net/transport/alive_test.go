package transport

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
)

// TestPulse: who hears nothing asks, once, and gives the other end up only when it
// has had the time to answer.
func TestPulse(t *testing.T) {
	const dead = 3000
	type step struct {
		now, last int // ms
		packets   uint64
		want      int
	}
	for name, steps := range map[string][]step{
		"speaks":                               {{0, 0, 1, pulseFine}, {1400, 0, 1, pulseFine}, {2000, 1900, 1, pulseFine}, {3300, 1900, 1, pulseFine}, {3400, 1900, 1, pulseAsk}, {3500, 3450, 1, pulseFine}, {4949, 3450, 1, pulseFine}, {4950, 3450, 1, pulseAsk}},
		"answers by QUIC alone":                {{0, 0, 1, pulseFine}, {1500, 0, 1, pulseAsk}, {2000, 0, 2, pulseFine}, {3400, 0, 2, pulseFine}, {3500, 0, 2, pulseAsk}, {4000, 0, 3, pulseFine}},
		"is dead":                              {{0, 0, 1, pulseFine}, {1500, 0, 1, pulseAsk}, {2000, 0, 1, pulseFine}, {2999, 0, 1, pulseFine}, {3000, 0, 1, pulseDead}},
		"was not looked at":                    {{0, 0, 1, pulseFine}, {9000, 0, 1, pulseAsk}, {9500, 0, 1, pulseFine}, {10499, 0, 1, pulseFine}, {10500, 0, 1, pulseDead}},
		"answers when it was not looked at":    {{0, 0, 1, pulseFine}, {9000, 0, 1, pulseAsk}, {9500, 9400, 1, pulseFine}, {10800, 9400, 1, pulseFine}},
		"says something as it is about to die": {{0, 0, 1, pulseFine}, {1500, 0, 1, pulseAsk}, {3000, 2999, 1, pulseFine}, {4498, 2999, 1, pulseFine}, {4499, 2999, 1, pulseAsk}, {5998, 2999, 1, pulseFine}, {5999, 2999, 1, pulseDead}},
	} {
		var p pulse
		for i, s := range steps {
			got := p.look(time.Duration(s.now)*time.Millisecond, time.Duration(s.last)*time.Millisecond, s.packets, dead*time.Millisecond)
			if got != s.want {
				t.Errorf("%s, step %d: %d, want %d", name, i, got, s.want)
			}
		}
	}
}

// TestSilentEnd: an end that says nothing any more, and does not answer, is
// noticed, and named so.
func TestSilentEnd(t *testing.T) {
	slowtest.Skip(t, "takes longer than five seconds")
	a, b := startNode(t, 1, func(c *Config) { c.Net.Dead = 10 * time.Second }), startNode(t, 2, steady)
	onDatagramPath(t, a, b)
	b.sock.Close() // nothing of it gets out any more
	a.sees("link 3")
	a.fails("silent", 1)
}
