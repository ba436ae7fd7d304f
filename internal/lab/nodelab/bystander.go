package nodelab

import (
	"context"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Bystander is a player without any rights who does nothing. Nothing may change
// about it: what others do to it shows.
type Bystander struct {
	*Guest
	Who client.Identity
	Was holdings
}

// holdings are what an attacker may want of a player.
type holdings struct {
	self  wire.Self
	at    world.Vec
	Slots [world.Slots]wire.SlotItem
}

// Honest is an editor, and who it is.
type Honest struct {
	*Mason
	Who client.Identity
}

// sign is what the bystander has been given, and nobody else has.
var sign = wire.SlotItem{Block: uint16(world.GoldOre), Count: 10}

func (b *Bystander) State() holdings {
	s := holdings{self: b.Self(), at: b.Body().Pos}
	for i := range s.Slots {
		s.Slots[i] = b.Slot(i)
	}
	return s
}

// HonestPair brings an editor to a node, who is the world's operator, and a
// bystander in survival mode, who has ten blocks of gold ore.
func HonestPair(ctx context.Context, url, local string) (*Honest, *Bystander, error) {
	ann, err := client.NewIdentity("Ann")
	if err != nil {
		return nil, nil, err
	}
	editor, err := JoinMason(ctx, local, ann, 0)
	if err != nil {
		return nil, nil, err
	}
	b := &Bystander{}
	if b.Who, err = client.NewIdentity("Bo"); err == nil {
		b.Guest, err = JoinAs(ctx, url, b.Who, SettleTime)
	}
	if err == nil {
		err = b.settle(ctx, editor)
	}
	if err != nil {
		editor.Close()
		return nil, nil, err
	}
	return &Honest{editor, ann}, b, nil
}

// settle waits until the bystander is as it is to stay.
func (b *Bystander) settle(ctx context.Context, operator *Mason) error {
	for _, line := range []string{"/time set noon", "/gamemode survival Bo", "/give Bo gold_ore 10"} {
		if err := operator.Say(line); err != nil {
			return err
		}
	}
	still, last := time.Now(), world.Vec{}
	err := b.Until(ctx, "Bo to stand still with its gold", func() bool {
		if at := b.Body().Pos; at != last || b.Loaded() < 9 {
			last, still = at, time.Now()
		}
		b.Was = b.State()
		has := false
		for _, s := range b.Was.Slots {
			has = has || s.Block == sign.Block && s.Count == sign.Count
		}
		return has && b.Was.self.Mode == 0 && time.Since(still) > time.Second
	})
	if err != nil {
		return fmt.Errorf("%w: it is %+v", err, b.Was)
	}
	return nil
}

// noonEvery is how often the operator sets the time of day: the sun must not set,
// five minutes after noon. At night a stalker may come and strike the bystander,
// which says nothing about an attacker.
const noonEvery = time.Minute

// HoldNoon keeps the time of day near noon until ctx ends.
func (e *Honest) HoldNoon(ctx context.Context) {
	beat := time.NewTicker(noonEvery)
	defer beat.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			if e.Say("/time set noon") != nil {
				return // the end of the connection is reported by who plays
			}
		}
	}
}

// Watch reports what changes about the bystander until ctx ends.
func (b *Bystander) Watch(ctx context.Context) error {
	steps := time.NewTicker(Stepping)
	defer steps.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-b.Ended:
			return fmt.Errorf("%w: %w", ErrEnded, b.why)
		case <-steps.C:
			if _, err := b.Step(world.Input{}); err != nil {
				return err
			}
			if is := b.State(); is != b.Was {
				return fmt.Errorf("the bystander was %+v and is %+v, among %+v", b.Was, is, b.Beings())
			}
		}
	}
}
