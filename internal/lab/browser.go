package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// errNoBrowser means that the machine has no Chromium that the lab can drive.
var errNoBrowser = errors.New("no Chromium found: install chromium or set CHROMIUM to its program")

// browser is a headless Chromium with one tab, spoken to by the DevTools
// protocol. Its profile is new and goes away with it: every visit is cold.
type browser struct {
	cmd     *exec.Cmd
	profile string
	conn    *websocket.Conn
	session string // of the tab
	last    int    // id of the last command
}

// findBrowser returns the path of a Chromium.
func findBrowser() (string, error) {
	if p := os.Getenv("CHROMIUM"); p != "" {
		return p, nil
	}
	for _, name := range []string{
		"/usr/lib/chromium/chromium", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", errNoBrowser
}

// openBrowser starts a Chromium and opens an empty tab.
func openBrowser(ctx context.Context) (*browser, error) {
	program, err := findBrowser()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return nil, err
	}
	b := &browser{profile: profile}
	b.cmd = exec.Command(program, "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
		"--no-first-run", "--disable-extensions", "--mute-audio", "--window-size=1280,720",
		"--remote-debugging-port=0", "--user-data-dir="+profile, "about:blank")
	if err := b.cmd.Start(); err != nil {
		os.RemoveAll(profile)
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	if err := b.attach(ctx); err != nil {
		b.close()
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return b, nil
}

// close ends the browser and removes its profile.
func (b *browser) close() {
	if b.conn != nil {
		b.conn.CloseNow()
	}
	_ = b.cmd.Process.Kill() // it may have ended by itself
	_ = b.cmd.Wait()
	for range 20 { // its helpers may still be writing
		if os.RemoveAll(b.profile) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// attach waits until the browser listens, connects and opens a tab.
func (b *browser) attach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var where []string
	for len(where) < 2 {
		text, _ := os.ReadFile(filepath.Join(b.profile, "DevToolsActivePort")) // not there yet: try again
		where = strings.Fields(string(text))
		select {
		case <-ctx.Done():
			return fmt.Errorf("it does not listen: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
	conn, _, err := websocket.Dial(ctx, "ws://127.0.0.1:"+where[0]+where[1], nil)
	if err != nil {
		return err
	}
	conn.SetReadLimit(64 << 20)
	b.conn = conn
	var tab struct{ TargetID, SessionID string }
	if err := b.call(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &tab); err != nil {
		return err
	}
	if err := b.call(ctx, "Target.attachToTarget", map[string]any{"targetId": tab.TargetID, "flatten": true}, &tab); err != nil {
		return err
	}
	b.session = tab.SessionID
	return nil
}

// call gives a command and waits for its answer; events on the way are dropped.
func (b *browser) call(ctx context.Context, method string, params map[string]any, answer any) error {
	b.last++
	text, err := json.Marshal(map[string]any{"id": b.last, "method": method, "params": params, "sessionId": b.session})
	if b.session == "" {
		text, err = json.Marshal(map[string]any{"id": b.last, "method": method, "params": params})
	}
	if err != nil {
		return err
	}
	if err := b.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		_, text, err := b.conn.Read(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		var m struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(text, &m); err != nil || m.ID != b.last {
			continue
		}
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return json.Unmarshal(m.Result, answer)
	}
}

// open goes to a page without waiting for it.
func (b *browser) open(ctx context.Context, url string) error {
	return b.call(ctx, "Page.navigate", map[string]any{"url": url}, &struct{}{})
}

// eval runs an expression in the page, waits for it if it is a promise, and
// reads its value into out.
func (b *browser) eval(ctx context.Context, expression string, out any) error {
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	err := b.call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if err != nil {
		return err
	}
	if e := r.ExceptionDetails; e != nil {
		return fmt.Errorf("in the page: %s %s", e.Text, e.Exception.Description)
	}
	if len(r.Result.Value) == 0 {
		return nil // undefined
	}
	return json.Unmarshal(r.Result.Value, out)
}

// waitFor polls an expression until it is true.
func (b *browser) waitFor(ctx context.Context, expression string) error {
	for {
		var ok bool
		if err := b.eval(ctx, expression, &ok); err == nil && ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", expression, ctx.Err())
		case <-time.After(25 * time.Millisecond):
		}
	}
}
