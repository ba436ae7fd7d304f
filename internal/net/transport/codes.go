package transport

import (
	"context"
	"errors"

	"github.com/quic-go/quic-go"
)

// Why a node ends a connection, as it tells the other end.
const (
	codeClosed    quic.ApplicationErrorCode = iota // orderly, or after both have closed
	codeFailed                                     // the node stops after an error, or the link was too slow
	codeDuplicate                                  // both ends have opened a link: the other one stays
	codeWorld                                      // another world
	codeRefused                                    // its key or proof is not admitted
	codeFull                                       // the node has as many links as it may
	codeHello                                      // the first frame was not right
	codeFrame                                      // a frame was not right
	codeVersion                                    // another version of the protocol
	codes
)

var codeText = [codes]string{
	codeClosed: "closed", codeFailed: "failed", codeDuplicate: "there is another link between us",
	codeWorld: "this node is of another world", codeRefused: "this node does not admit you",
	codeFull: "this node has as many links as it may", codeHello: "the first frame is not right",
	codeFrame: "a frame is not right", codeVersion: "this node speaks another version of the protocol",
}

// codeIn is the code that the other end has given, codes if it has not.
func codeIn(err error) quic.ApplicationErrorCode {
	var a *quic.ApplicationError
	if errors.As(err, &a) && a.ErrorCode < codes {
		return a.ErrorCode
	}
	return codes
}

// codeOf is the code to give for an error of our own.
func codeOf(err error) quic.ApplicationErrorCode {
	switch {
	case errors.Is(err, context.Canceled): // closed before it was open
		return codeClosed
	case errors.Is(err, errFrame), errors.Is(err, errOrder):
		return codeFrame
	case errors.Is(err, errHello):
		return codeHello
	}
	return codeFailed
}

// reason names an error in the statistics.
func reason(err error) string {
	var (
		idle      *quic.IdleTimeoutError
		handshake *quic.HandshakeTimeoutError
		reset     *quic.StatelessResetError
		app       *quic.ApplicationError
		wrong     wrongID
		refused   refusal
	)
	switch {
	case errors.As(err, &idle), errors.Is(err, errSilent):
		return "silent"
	case errors.As(err, &handshake):
		return "unreachable"
	case errors.As(err, &reset):
		return "restarted"
	case errors.As(err, &wrong):
		return "wrong id"
	case errors.As(err, &refused):
		return codeName[refused.code]
	case errors.As(err, &app):
		if app.ErrorCode < codes {
			return codeName[app.ErrorCode]
		}
		return "other"
	case errors.Is(err, errFrame), errors.Is(err, errShort), errors.Is(err, errOrder):
		return "frame"
	case errors.Is(err, errHello):
		return "hello"
	}
	return "other"
}

var codeName = [codes]string{
	codeClosed: "closed", codeFailed: "failed", codeDuplicate: "duplicate", codeWorld: "world",
	codeRefused: "admission", codeFull: "full", codeHello: "hello", codeFrame: "frame", codeVersion: "version",
}

// refusal is why we do not want a connection.
type refusal struct {
	code quic.ApplicationErrorCode
	why  error
}

func (r refusal) Error() string {
	if r.why != nil {
		return r.why.Error()
	}
	return codeText[r.code]
}
func (r refusal) Unwrap() error { return r.why }
