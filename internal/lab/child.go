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

// Some experiments need processes of their own: a crowd, so that the CPU time
// of the node can be told from its players', or nodes that can be killed. The
// lab starts its own program again with childVariable set, gives orders to its
// standard input and reads reports from its standard output, one JSON object a
// line.

const childVariable = "VOXELPOPULI_LAB_CHILD"

// Children are what child processes of experiments do, by kind.
type Children map[string]func(orders io.Reader, reports io.Writer) error

// Child turns this process into the child as which an experiment has started it, if
// it was: then it does not return. Programs and tests with such experiments call it
// first.
func Child(all ...Children) {
	kind := os.Getenv(childVariable)
	for _, kinds := range all {
		run := kinds[kind]
		if run == nil {
			continue
		}
		if err := run(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", kind, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// Process is such a process as the lab sees it.
type Process struct {
	kind string
	Cmd  *exec.Cmd
	in   io.WriteCloser
	pipe io.ReadCloser
	out  *bufio.Reader
}

// Start starts this program again, by another one if that is given; it ends
// with ctx.
func Start(ctx context.Context, kind string, errors io.Writer, by ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	run := append(by, self)
	c := &Process{kind: kind, Cmd: exec.CommandContext(ctx, run[0], run[1:]...)}
	c.Cmd.Env = append(os.Environ(), childVariable+"="+kind)
	c.Cmd.Stderr = errors
	c.Cmd.WaitDelay = 5 * time.Second
	if c.in, err = c.Cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.pipe, err = c.Cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(c.pipe)
	if err := c.Cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the %s: %w", kind, err)
	}
	return c, nil
}

// Do gives an order and waits for the report, at most for limit (0: for ever).
func (c *Process) Do(order, report any, limit time.Duration) error {
	line, err := json.Marshal(order)
	if err != nil {
		return err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("%s: %w", c.kind, err)
	}
	if f, ok := c.pipe.(*os.File); ok && limit > 0 {
		_ = f.SetReadDeadline(time.Now().Add(limit)) // without deadlines it waits for ever
	}
	answer, err := c.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(answer, report)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.kind, err)
	}
	return nil
}

// Close lets the process end by itself and waits for that.
func (c *Process) Close() error {
	c.in.Close()
	return c.Cmd.Wait()
}

// Kill ends the process at once (kill -9) and waits until it is gone.
func (c *Process) Kill() error {
	if err := c.Cmd.Process.Kill(); err != nil {
		return err
	}
	_ = c.Cmd.Wait() // it was killed
	return nil
}
