package nodelab

import (
	"context"
	"os"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

// crowdProcess is a crowd as the lab sees it.
type crowdProcess struct{ *lab.Process }

// startCrowd starts this program again as a crowd.
func startCrowd(ctx context.Context, first crowdOrder) (*crowdProcess, error) {
	c, err := lab.Start(ctx, childCrowd, os.Stderr)
	if err != nil {
		return nil, err
	}
	p := &crowdProcess{c}
	if _, err := p.do(first); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// do gives an order and waits for the report.
func (p *crowdProcess) do(o crowdOrder) (r crowdReport, err error) {
	err = p.Process.Do(o, &r, 0)
	return r, err
}

// close lets the crowd leave and waits for its end.
func (p *crowdProcess) close() { _ = p.Process.Close() } // killed or not, it is gone
