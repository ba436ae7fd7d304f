package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"time"
)

// ticket asks for a token with a join code, empty if there is none for it.
func (c *Client) ticket(ctx context.Context, code string) string {
	body, err := json.Marshal(map[string]string{"code": code})
	if err != nil {
		return ""
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.Addr+"/api/session", bytes.NewReader(body))
	if err != nil {
		return ""
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var answer struct{ Token string }
	_ = json.NewDecoder(io.LimitReader(res.Body, 1<<16)).Decode(&answer) // a refusal has no token
	return answer.Token
}

// wrongCodes guesses.
func (c *Client) wrongCodes(ctx context.Context) (n int) {
	for ; ctx.Err() == nil; n++ {
		c.ticket(ctx, "a guess")
	}
	return n
}

// controlFrames opens WebSockets by hand, and sends pings, pongs and empty fragments
// as long as the gateway takes them.
func (c *Client) controlFrames(ctx context.Context) (n int) {
	ping, pong, fragment := []byte{0x89, 0x80, 0, 0, 0, 0}, []byte{0x8a, 0x80, 0, 0, 0, 0}, []byte{0x00, 0x80, 0, 0, 0, 0}
	for i := 0; ctx.Err() == nil; i++ {
		token := c.ticket(ctx, c.Code)
		conn, err := net.DialTimeout("tcp", c.Addr, time.Second)
		if err != nil || token == "" {
			pause(ctx, 100*time.Millisecond)
			continue
		}
		io.WriteString(conn, "GET /ws?token="+token+" HTTP/1.1\r\nHost: "+c.Addr+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
		go io.Copy(io.Discard, conn)
		frame := [][]byte{ping, pong, fragment}[i%3]
		if i%3 == 2 {
			conn.Write([]byte{0x02, 0x80, 0, 0, 0, 0}) // the first fragment
		}
		for ctx.Err() == nil {
			if _, err := conn.Write(frame); err != nil {
				break
			}
			n++
		}
		conn.Close()
	}
	return n
}

// connections opens connections and leaves them open, with half a request or none.
func (c *Client) connections(ctx context.Context) (n int) {
	var open []net.Conn
	defer func() {
		for _, conn := range open {
			conn.Close()
		}
	}()
	for ; ctx.Err() == nil && n < 1000; n++ {
		conn, err := net.DialTimeout("tcp", c.Addr, time.Second)
		if err != nil {
			continue
		}
		if open = append(open, conn); n%2 == 0 {
			io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX-")
		}
		pause(ctx, time.Millisecond)
	}
	<-ctx.Done()
	return n
}
