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

// What a child can be.
const (
	childCrowd = "crowd"
	childNode  = "node"
	childHost  = "host"
	childRPC   = "rpc"
	childTruth = "truth"
	childSays  = "says"
	childLine  = "line"

	childHostile = "hostile"
)

// Child turns this process into what the lab has started it as: then it does not
// return. main calls it first.
func Child() {
	kind := os.Getenv(childVariable)
	if os.Getenv(rpcVariable) != "" { // the node that answers kademlia-rpcs
		kind = childRPC
	}
	run := map[string]func(io.Reader, io.Writer) error{childCrowd: crowdMain, childNode: chaosNodeMain, childHost: hostMain, childTruth: truthMain, childSays: keeperMain, childLine: lineMain, childHostile: hostileMain,
		childRPC: func(io.Reader, io.Writer) error { return answererMain() }}[kind]
	if run == nil {
		return
	}
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", kind, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child is such a process as the lab sees it.
type child struct {
	kind string
	cmd  *exec.Cmd
	in   io.WriteCloser
	pipe io.ReadCloser
	out  *bufio.Reader
}

// startChild starts this program again, by another one if that is given; it ends
// with ctx.
func startChild(ctx context.Context, kind string, errors io.Writer, by ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	run := append(by, self)
	c := &child{kind: kind, cmd: exec.CommandContext(ctx, run[0], run[1:]...)}
	c.cmd.Env = append(os.Environ(), childVariable+"="+kind)
	c.cmd.Stderr = errors
	c.cmd.WaitDelay = 5 * time.Second
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.pipe, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(c.pipe)
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the %s: %w", kind, err)
	}
	return c, nil
}

// do gives an order and waits for the report, at most for limit (0: for ever).
func (c *child) do(order, report any, limit time.Duration) error {
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

// close lets the process end by itself and waits for that.
func (c *child) close() error {
	c.in.Close()
	return c.cmd.Wait()
}

// kill ends the process at once (kill -9) and waits until it is gone.
func (c *child) kill() error {
	if err := c.cmd.Process.Kill(); err != nil {
		return err
	}
	_ = c.cmd.Wait() // it was killed
	return nil
}
