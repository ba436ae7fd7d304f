package lab

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table is text in rows and columns. The first column is a name, the others are
// usually numbers.
type Table struct {
	Name    string // of its CSV file; "" for a table that is only shown
	Title   string
	Columns []string
	Rows    [][]string
}

// Row adds a row; numbers are written with as many digits as they deserve.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		if v, ok := c.(float64); ok {
			row[i] = number(v)
		} else {
			row[i] = fmt.Sprint(c)
		}
	}
	t.Rows = append(t.Rows, row)
}

// number writes v with three or more significant digits.
func number(v float64) string {
	switch a := max(v, -v); {
	case v == float64(int64(v)) && a < 1e15:
		return fmt.Sprintf("%d", int64(v))
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// print writes the table for people.
func (t *Table) print(w io.Writer) {
	wide := make([]int, len(t.Columns))
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		for i, cell := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	if t.Title != "" {
		fmt.Fprintf(w, "\n%s\n", t.Title)
	}
	line := func(row []string) {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", wide[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString("  " + cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	line(t.Columns)
	rule := make([]string, len(wide))
	for i, n := range wide {
		rule[i] = strings.Repeat("─", n)
	}
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
}

func (t *Table) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	if err := c.WriteAll(t.Rows); err != nil {
		return err
	}
	return c.Error()
}
