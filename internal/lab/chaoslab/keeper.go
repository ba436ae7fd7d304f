package chaoslab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// speaker is somebody who can say something in the world.
type speaker interface {
	Say(text string) error
	Close() error
}

// callKeeper lets the founder's player come in, who must know the secret of the
// founder's data folder to become the first operator. If the founder is on a host
// of its own, the player is a process there.
func (c *chaos) callKeeper() (speaker, error) {
	founder := c.nodes[0].config
	local, err := keyring.ReadLocal(founder.Data)
	if err != nil {
		return nil, err
	}
	page := func(addr string) string { return host.PageURL("http://"+addr, "", string(local)) }
	if c.machines == nil {
		return joinFounder(c.t.Context, page(founder.Gateway), c.keeper)
	}
	p, err := lab.Start(c.t.Context, childSays, os.Stderr, c.machines[0].On()...)
	if err != nil {
		return nil, err
	}
	k := &farKeeper{p}
	if err := k.tell(keeperOrder{Join: page("127.0.0.1" + founder.Listen)}); err != nil {
		return nil, errors.Join(err, p.Kill())
	}
	return k, nil
}

// joinFounder joins as the player who is to be the first operator.
func joinFounder(ctx context.Context, url string, who client.Identity) (*nodelab.Guest, error) {
	g, err := nodelab.JoinAs(ctx, url, who, calmTime)
	if err != nil {
		return nil, err
	}
	if !g.Welcome().Operator {
		return nil, errors.Join(errors.New("the founder's player is no operator"), g.Close())
	}
	return g, nil
}

// keeperOrder tells the keeper's process where to join, then what to say.
type keeperOrder struct{ Join, Say string }

type keeperReport struct{ Error string }

// farKeeper is the keeper in a process of its own.
type farKeeper struct{ p *lab.Process }

func (k *farKeeper) tell(o keeperOrder) error {
	var r keeperReport
	if err := k.p.Do(o, &r, orderTime); err != nil {
		return err
	}
	if r.Error != "" {
		return errors.New(r.Error)
	}
	return nil
}

func (k *farKeeper) Say(text string) error { return k.tell(keeperOrder{Say: text}) }
func (k *farKeeper) Close() error          { return k.p.Close() }

// keeperMain is the keeper's process.
func keeperMain(in io.Reader, out io.Writer) error {
	who, err := client.NewIdentity("Keeper")
	if err != nil {
		return err
	}
	var g *nodelab.Guest
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var o keeperOrder
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		var r keeperReport
		switch {
		case o.Join != "":
			g, err = joinFounder(context.Background(), o.Join, who)
		case g != nil:
			err = g.Say(o.Say)
		}
		if err != nil {
			r.Error = err.Error()
		}
		if err := json.NewEncoder(out).Encode(r); err != nil {
			return err
		}
	}
	if g == nil {
		return nil
	}
	return g.Close()
}
