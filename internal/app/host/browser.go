package host

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
)

// ErrNoBrowser is what OpenBrowser returns when there is none to be found.
var ErrNoBrowser = errors.New("no browser was found")

// OpenBrowser opens a page in the user's browser and does not wait for it.
func OpenBrowser(url string) error {
	for _, args := range browserCommands(runtime.GOOS, os.Getenv) {
		path, err := exec.LookPath(args[0])
		if err != nil {
			continue
		}
		cmd := exec.Command(path, append(args[1:], url)...)
		if cmd.Start() == nil {
			go cmd.Wait() // so that no zombie is left
			return nil
		}
	}
	return ErrNoBrowser
}

// browserCommands are what to try, in order. Without a screen there is nothing
// to try: a browser in the terminal cannot show a world.
func browserCommands(goos string, env func(string) string) [][]string {
	switch goos {
	case "windows":
		return [][]string{{"rundll32", "url.dll,FileProtocolHandler"}}
	case "darwin":
		return [][]string{{"open"}}
	}
	var out [][]string
	if b := env("BROWSER"); b != "" {
		out = append(out, []string{b})
	}
	if env("WSL_DISTRO_NAME") != "" {
		out = append(out, []string{"wslview"}, []string{"rundll32.exe", "url.dll,FileProtocolHandler"})
	}
	if env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "" {
		out = append(out, []string{"xdg-open"}, []string{"gio", "open"}, []string{"firefox"}, []string{"chromium"}, []string{"google-chrome"})
	}
	return out
}
