package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// crowdProcess is a crowd as the lab sees it.
type crowdProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startCrowd starts this program again as a crowd.
func startCrowd(ctx context.Context, first crowdOrder) (*crowdProcess, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &crowdProcess{cmd: exec.CommandContext(ctx, self)}
	p.cmd.Env = append(os.Environ(), crowdVariable+"=1")
	p.cmd.Stderr = os.Stderr
	p.cmd.WaitDelay = 5 * time.Second
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the crowd: %w", err)
	}
	if _, err := p.do(first); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// do gives an order and waits for the report.
func (p *crowdProcess) do(o crowdOrder) (crowdReport, error) {
	line, err := json.Marshal(o)
	if err != nil {
		return crowdReport{}, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return crowdReport{}, fmt.Errorf("crowd: %w", err)
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		return crowdReport{}, fmt.Errorf("crowd: %w", err)
	}
	var r crowdReport
	if err := json.Unmarshal(answer, &r); err != nil {
		return crowdReport{}, fmt.Errorf("crowd: %w", err)
	}
	return r, nil
}

// close lets the crowd leave and waits for its end.
func (p *crowdProcess) close() {
	p.in.Close()
	_ = p.cmd.Wait() // killed or not, it is gone
}
