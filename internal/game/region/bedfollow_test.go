package region

import (
	"crypto/ed25519"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

var hostKey = ed25519.NewKeyFromSeed([]byte("the key of the host of a region."))

// follow replays the log of a region beside it: whatever a test does to a region, its
// host is honest and must not be convicted. Tests that change an area behind the
// region's back set b.tampered.
func (b *bed) follow(r *Region) {
	var replayer, later *regionlog.Replayer // from the beginning; from a state in between
	var checkpoints int
	signing := &regionlog.Signing{World: b.cfg(r.Pos()).World, Key: [32]byte(hostKey.Public().(ed25519.PublicKey)),
		Sign: func(text []byte) [64]byte { return [64]byte(ed25519.Sign(hostKey, text)) }}
	r.Area().Record(signing, func(out *regionlog.Output) {
		if b.tampered {
			return
		}
		var proof *regionlog.Proof
		var err error
		if out.Number == 0 {
			replayer, err = regionlog.NewReplayer(out.Checkpoint, out.State)
			later = nil
		} else {
			proof, err = replayer.Entry(out.Entry, out.Checkpoint)
		}
		if later != nil && proof == nil && err == nil {
			proof, err = later.Entry(out.Entry, out.Checkpoint)
		}
		if out.Checkpoint != nil && out.Number > 0 && err == nil {
			if out.State != nil {
				later, err = regionlog.NewReplayer(out.Checkpoint, out.State)
			}
			if checkpoints++; checkpoints%3 == 0 { // the state of the next tick
				r.Area().GiveState()
			}
		}
		if out.Checkpoint != nil && (!out.Checkpoint.Verify() || out.Checkpoint.By() != id.Of(hostKey.Public().(ed25519.PublicKey))) {
			b.Errorf("%v: a checkpoint without a signature", r.Pos())
		}
		if err != nil {
			b.tampered = true
			b.Errorf("%v, entry %d: %v", r.Pos(), out.Number, err)
		}
		if proof != nil {
			b.tampered = true
			found, err := proof.Check()
			b.Errorf("%v, entry %d: an honest host is convicted: %v, %v", r.Pos(), out.Number, found, err)
		}
		b.replayed++
	})
}

// TestLogsAreReplayed: what follow compares is compared.
func TestLogsAreReplayed(t *testing.T) {
	b := newBed(t)
	c := b.client("ada").enter()
	b.run(3 * time.Second)
	if b.replayed < 50 || b.tampered {
		t.Fatalf("%d entries were replayed", b.replayed)
	}
	r, h := b.homeOf(c.player)
	var proof *regionlog.Proof
	var replayer *regionlog.Replayer
	r.Area().Record(&regionlog.Signing{Key: [32]byte(hostKey.Public().(ed25519.PublicKey)), Sign: func(text []byte) [64]byte {
		return [64]byte(ed25519.Sign(hostKey, text))
	}}, func(out *regionlog.Output) {
		if replayer == nil && out.State != nil {
			replayer, _ = regionlog.NewReplayer(out.Checkpoint, out.State)
		} else if replayer != nil && proof == nil {
			proof, _ = replayer.Entry(out.Entry, out.Checkpoint)
		}
	})
	r.Area().GiveState()
	b.run(time.Second)
	h.p.Items[7] = world.Stack{Block: world.GoldOre, Count: 3}
	b.run(2 * time.Second)
	if proof == nil {
		t.Fatal("a gift was not noticed")
	}
}

// BenchmarkLog is what a log costs: a tick of the leader with a follower, in its plain
// form without one, the follower's replay of it, and the bytes beside those of the frames.
func BenchmarkLog(b *testing.B) {
	for _, n := range []int{100, 500} {
		for _, mode := range []string{"alone", "recorded", "replayed"} {
			b.Run(fmt.Sprintf("%d/%s", n, mode), func(b *testing.B) {
				a := newArena(n, 120)
				var outs []*regionlog.Output
				logged := 0
				if mode != "alone" {
					a.r.Area().Record(&regionlog.Signing{Key: [32]byte(hostKey.Public().(ed25519.PublicKey)), Sign: func(text []byte) [64]byte {
						return [64]byte(ed25519.Sign(hostKey, text))
					}}, func(out *regionlog.Output) {
						outs = append(outs, out)
						logged += len(out.Entry)
						if out.Checkpoint != nil {
							logged += len(out.Checkpoint.Append(nil))
						}
					})
					a.tick()
				}
				const ticks = 20
				var replayer *regionlog.Replayer
				if mode == "replayed" {
					var err error
					if replayer, err = regionlog.NewReplayer(outs[0].Checkpoint, outs[0].State); err != nil {
						b.Fatal(err)
					}
				}
				a.env.bytes, logged = 0, 0
				var took time.Duration
				rounds := 0
				for b.Loop() {
					outs, rounds = outs[:0], rounds+1
					start := time.Now()
					for range ticks {
						a.tick()
					}
					if mode == "replayed" {
						start = time.Now()
						for _, out := range outs {
							if p, err := replayer.Entry(out.Entry, out.Checkpoint); p != nil || err != nil {
								b.Fatal(p, err)
							}
						}
					}
					took += time.Since(start)
				}
				b.ReportMetric(float64(took.Microseconds())/1000/float64(rounds*ticks), "ms/tick")
				b.ReportMetric(float64(logged)/float64(rounds)/float64(n), "B/s/player")
				b.ReportMetric(2*float64(logged)/float64(a.env.bytes), "upload-of-two/frames")
			})
		}
	}
}
