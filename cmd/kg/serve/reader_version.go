package serve

import (
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"os"
)

// readerVersion returns which version a program that reads documents is; "" stands for this one. The
// linker writes into it what it was made of, which no two programs share that read otherwise; where
// that cannot be read, it is what this program is called.
func readerVersion(bin, called string) string {
	if bin == "" {
		bin, _ = os.Executable() // else it is not found below
	}
	return cmp.Or(buildID(bin), called)
}

// buildID returns what the linker wrote into a program of Linux, or "".
func buildID(bin string) string {
	file, err := elf.Open(bin)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // it is only read
	section := file.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	if err != nil || len(note) == 0 {
		return ""
	}
	const enough = 12 // bytes
	sum := sha256.Sum256(note)
	return hex.EncodeToString(sum[:enough])
}
