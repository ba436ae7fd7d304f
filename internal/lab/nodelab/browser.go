package nodelab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// errNoBrowser means that the machine has no Chromium that the lab can drive.
var errNoBrowser = errors.New("no Chromium found: install chromium or set CHROMIUM to its program")

// browser is a headless Chromium with one tab, spoken to by the DevTools
// protocol over pipes, so that it may be in another network. Its profile is new and goes
// away with it: every visit is cold.
type browser struct {
	cmd     *exec.Cmd
	profile string
	in, out *os.File
	answers *bufio.Reader
	session string // of the tab
	last    int    // id of the last command
}

// FindBrowser returns the path of a Chromium.
func FindBrowser() (string, error) {
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

// openBrowser starts a Chromium, by another program if that is given, and opens an empty
// tab.
func openBrowser(ctx context.Context, by ...string) (*browser, error) {
	program, err := FindBrowser()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "voxelpopuli-lab-")
	if err != nil {
		return nil, err
	}
	b := &browser{profile: profile}
	if err := b.start(append(by, program, "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
		"--no-first-run", "--disable-extensions", "--mute-audio", "--window-size=1280,720",
		"--remote-debugging-pipe", "--user-data-dir="+profile, "about:blank")); err != nil {
		os.RemoveAll(profile)
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	if err := b.attach(ctx); err != nil {
		b.close()
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	return b, nil
}

// start starts the program, which reads from its file 3 and writes to its file 4.
func (b *browser) start(args []string) error {
	reads, in, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reads.Close()
	out, writes, err := os.Pipe()
	if err != nil {
		in.Close()
		return err
	}
	defer writes.Close()
	b.in, b.out, b.answers = in, out, bufio.NewReader(out)
	b.cmd = exec.Command(args[0], args[1:]...)
	b.cmd.ExtraFiles = []*os.File{reads, writes}
	if err := b.cmd.Start(); err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	return nil
}

// close ends the browser and removes its profile.
func (b *browser) close() {
	b.in.Close()
	_ = b.cmd.Process.Kill() // it may have ended by itself
	_ = b.cmd.Wait()
	b.out.Close()
	for range 20 { // its helpers may still be writing
		if os.RemoveAll(b.profile) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// attach opens a tab.
func (b *browser) attach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
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
	stop := context.AfterFunc(ctx, func() { _ = b.out.SetReadDeadline(time.Now()) })
	defer stop()
	if _, err := b.in.Write(append(text, 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		text, err := b.answers.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("%s: %w", method, errors.Join(err, ctx.Err()))
		}
		text = text[:len(text)-1]
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
