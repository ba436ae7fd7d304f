package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
)

func passphraseFlag(cmd *cobra.Command, file *string) {
	cmd.Flags().StringVar(file, "passphrase-file", "", "file whose first line is the passphrase (default: ask)")
}

// readPassphrase takes the passphrase from a file, or asks for it: without an
// echo at a terminal, and twice if it is a new one.
func readPassphrase(cmd *cobra.Command, file string, fresh bool) (string, error) {
	if file != "" {
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("passphrase: %w", err)
		}
		defer f.Close()
		return firstLine(f)
	}
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return firstLine(cmd.InOrStdin())
	}
	first, err := hidden(cmd, in, "Passphrase: ")
	if err != nil || !fresh {
		return first, err
	}
	second, err := hidden(cmd, in, "Once more: ")
	if err == nil && first != second {
		err = fmt.Errorf("%w: the passphrases differ", host.ErrUsage)
	}
	return first, err
}

func hidden(cmd *cobra.Command, in *os.File, prompt string) (string, error) {
	fmt.Fprint(cmd.ErrOrStderr(), prompt)
	b, err := term.ReadPassword(int(in.Fd()))
	fmt.Fprintln(cmd.ErrOrStderr())
	return string(b), err
}

func firstLine(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("passphrase: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
