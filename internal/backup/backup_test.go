package backup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/storage"
)

// archive returns an archive of some rows.
func archive(t testing.TB, rows int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, storage.BackupHeader{Format: storage.BackupFormat, Schema: 23, Epoch: 7})
	if err != nil {
		t.Fatal(err)
	}
	for n := range rows {
		if err := w.Add(storage.BackupRow{Table: "concepts", Row: fmt.Appendf(nil, `{"concept_id":"c_%d","label":"a \"quoted\" one"}`, n)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	checkRead(t, NewReader)
	checkRead(t, Reopen)
}

// TestReopen checks that an archive that is another one than was accepted is refused.
func TestReopen(t *testing.T) {
	t.Parallel()
	row := `{"table":"concepts","row":{"a"}}`
	a, err := Reopen(bytes.NewReader(lines(t, `{"kappa_backup":1}`, row, `{"rows":{"concepts":1},"sha256":"00"}`)))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if r, err := a.Next(); err != nil || string(r.Row) != `{"a"}` {
		t.Errorf("%s, err %v", r.Row, err)
	}
	if _, err := a.Next(); err == nil || !strings.Contains(err.Error(), "its checksum is not that of its lines") {
		t.Errorf("got %v", err)
	}
}

func checkRead(t *testing.T, open func(io.Reader) (*Reader, error)) {
	t.Helper()
	whole := archive(t, 1000)
	a, err := open(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	n := 0
	for ; ; n++ {
		row, err := a.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if want := fmt.Sprintf(`{"concept_id":"c_%d","label":"a \"quoted\" one"}`, n); err != nil || row.Table != "concepts" || string(row.Row) != want {
			t.Fatalf("%+v, err %v", row, err)
		}
	}
	if s := a.Summary(); n != 1000 || s.Rows["concepts"] != 1000 || s.Epoch != 7 || s.Bytes != int64(len(whole)) || s.Expanded < 50_000 {
		t.Errorf("%d rows: %+v", n, s)
	}
}

// lines returns an archive of lines that are given.
func lines(t *testing.T, lines ...string) []byte {
	t.Helper()
	zip, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return zip.EncodeAll([]byte(strings.Join(lines, "\n")+"\n"), nil)
}

// TestBadArchives checks that what is not a whole archive is refused in words.
func TestBadArchives(t *testing.T) {
	t.Parallel()
	const header = `{"kappa_backup":1}`
	good := archive(t, 3000)
	changed := bytes.Clone(good)
	changed[len(changed)/2] ^= 0x40
	for name, c := range map[string]struct {
		archive []byte
		says    string
	}{
		"nothing":                 {nil, "is no archive of Kappa"},
		"a text":                  {[]byte("hello, hello, hello"), "is no archive of Kappa"},
		"compressed text":         {lines(t, "hello"), "its first line is no header"},
		"another JSON":            {lines(t, `{"a":1}`), "its first line is no header"},
		"a later version":         {lines(t, `{"kappa_backup":99}`), "format 99, and this server reads 2"},
		"no trailer":              {lines(t, header), "was cut: it ends after 1 lines"},
		"cut in the middle":       {good[:len(good)/2], "was cut"},
		"cut at its end":          {good[:len(good)-1], "was cut"},
		"a changed byte":          {changed, "is damaged"},
		"a row that is no JSON":   {lines(t, header, `{"table":"concepts","row":{"a"}}`), "line 2 is neither a row nor the trailer"},
		"a table with odd name":   {lines(t, header, `{"table":"a;b","row":{}}`), "line 2 is neither a row nor the trailer"},
		"a checksum that is not":  {lines(t, header, `{"rows":{},"sha256":"00"}`), "its checksum is not that of its lines"},
		"something behind it all": {append(bytes.Clone(good), good...), "has something behind its trailer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Verify(bytes.NewReader(c.archive))
			if err == nil || kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
	t.Run("a source that fails is no damage", func(t *testing.T) {
		t.Parallel()
		_, err := Verify(io.MultiReader(bytes.NewReader(good[:100]), broken{}))
		if err == nil || kappa.ErrorCode(err) == kappa.CodeInvalid || !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a bomb is refused before it fills the memory", func(t *testing.T) {
		t.Parallel()
		zip, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		bomb := zip.EncodeAll(append([]byte(header+"\n"), make([]byte, maxLineBytes+1<<20)...), nil)
		if _, err := Verify(bytes.NewReader(bomb)); err == nil || !strings.Contains(err.Error(), "has a line of more than") {
			t.Errorf("got %v", err)
		}
	})
}

var errBroken = errors.New("the disk is gone")

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errBroken }

// FuzzVerify reads anything without a panic, and takes nothing that was changed.
func FuzzVerify(f *testing.F) {
	good := archive(f, 3)
	f.Add(good, 0, byte(0))
	f.Fuzz(func(t *testing.T, data []byte, at int, bits byte) {
		_, _ = Verify(bytes.NewReader(data))
		if bits == 0 || at < 0 {
			return
		}
		changed := bytes.Clone(good)
		changed[at%len(changed)] ^= bits
		got, err := Verify(bytes.NewReader(changed))
		if want, _ := Verify(bytes.NewReader(good)); err == nil && fmt.Sprint(got.BackupHeader, got.Rows) != fmt.Sprint(want.BackupHeader, want.Rows) {
			t.Errorf("byte %d was changed by %x, and is taken", at%len(changed), bits)
		}
	})
}
