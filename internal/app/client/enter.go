package client

import (
	"context"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Enter brings a player into a world over a connection to one of its nodes, which was
// dialled as audience (docs/protocols/client.md, Proof), and tells why it still waits. It
// closes the connection if the player is not let in.
func Enter(ctx context.Context, c Conn, who Identity, audience string, world id.ID, waits func(why *wire.Notice)) (Conn, *wire.Welcome, error) {
	challenge, welcome, err := shake(ctx, c, who, audience, world, waits)
	if err != nil {
		c.Close()
		if ctx.Err() != nil { // that closed it
			err = fmt.Errorf("the world says nothing: %w", ctx.Err())
		}
		return nil, nil, err
	}
	return signing(c, who, challenge, welcome), welcome, nil
}

// shake is the handshake: Hello, Challenge, Proof, Welcome. Before Welcome may come
// Notices that one is to wait.
func shake(ctx context.Context, c Conn, who Identity, audience string, world id.ID, waits func(*wire.Notice)) (*wire.Challenge, *wire.Welcome, error) {
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	var challenge wire.Challenge
	b, err := ask(c, who.hello())
	if err == nil {
		err = wire.DecodeInto(b, &challenge)
	}
	if err != nil {
		return nil, nil, err
	}
	if challenge.Version != wire.Version {
		return nil, nil, wire.BadVersion.Refusal(0)
	}
	if challenge.World != world {
		return nil, nil, wire.BadWorld.Refusal(0)
	}
	b, err = ask(c, who.Prove(&challenge, audience))
	for ; err == nil && wire.TypeOf(b) == wire.TypeNotice; b, err = c.Recv() {
		var why wire.Notice
		if err = wire.DecodeInto(b, &why); err != nil {
			return nil, nil, err
		}
		waits(&why)
	}
	if err != nil {
		return nil, nil, err
	}
	welcome := new(wire.Welcome)
	return &challenge, welcome, wire.DecodeInto(b, welcome)
}

// ask says something and returns what is said next.
func ask(c Conn, m wire.Message) ([]byte, error) {
	if err := c.Send(wire.Encode(m)); err != nil {
		return nil, err
	}
	return c.Recv()
}
