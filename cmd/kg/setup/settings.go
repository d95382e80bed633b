package setup

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
)

// The files beside the settings that have secrets.
const (
	passwordFile = "admin-password"
	keyFile      = "model-key"
)

// line is a setting of the file.
type line struct{ comment, name, value string }

// secretFiles returns the files beside the settings file at path, with what they are to hold.
func (a *answers) secretFiles(path string) map[string]string {
	files := map[string]string{}
	if a.AdminPassword != "" {
		files[filepath.Join(filepath.Dir(path), passwordFile)] = a.AdminPassword
	}
	if a.ModelKey != "" {
		files[filepath.Join(filepath.Dir(path), keyFile)] = a.ModelKey
	}
	return files
}

// settings returns the lines of the settings file at path.
func (a *answers) settings(path string) []line {
	beside := func(value, file, name string) string {
		if value != "" {
			return filepath.Join(filepath.Dir(path), name)
		}
		return file
	}
	lines := []line{
		{"Where data lives: the private PostgreSQL, keys, and the address for kg on this machine.", "KG_DATA_DIR", a.DataDir},
	}
	if a.Database != ownDatabase {
		lines = append(lines, line{"The database.", "DATABASE_URL", a.Database})
	}
	if a.Model != localModel {
		upper := strings.ToUpper(a.Model)
		lines = append(lines, line{"What reads documents, and its key.", "KG_EXTRACTOR", a.Model})
		if a.ModelURL != "" {
			lines = append(lines, line{"", modelURLSettings[a.Model], a.ModelURL})
		}
		if file := beside(a.ModelKey, a.ModelKeyFile, keyFile); file != "" {
			lines = append(lines, line{"", "KG_" + upper + "_API_KEY_FILE", file})
		}
	}
	lines = append(lines, line{"Where the server listens, and how what it says is encrypted.", "KG_ADDR", a.Address})
	switch a.TLS {
	case tlsFiles:
		lines = append(lines, line{"", "KG_TLS_CERT", a.TLSCert}, line{"", "KG_TLS_KEY", a.TLSKey})
	case tlsACME:
		lines = append(lines, line{"", "KG_ACME_DOMAINS", a.ACMEDomains}, line{"", "KG_ACME_EMAIL", a.ACMEEmail})
	default:
		if !ofThisMachine(a.Address) {
			lines = append(lines, line{"A proxy in front ends TLS, or the network is trusted.", "KG_PLAIN_HTTP", "1"})
		}
	}
	return append(lines, line{"The first password of the account admin; the file is needed at the first start only.", "KG_ADMIN_PASSWORD_FILE", beside(a.AdminPassword, a.AdminPasswordFile, passwordFile)})
}

// text writes lines as a settings file.
func text(lines []line) string {
	var b strings.Builder
	b.WriteString("# Settings of kg serve, written by kg setup. kg serve --help lists all others.\n")
	for _, l := range lines {
		if l.value == "" {
			continue
		}
		if l.comment != "" {
			b.WriteString("\n# " + l.comment + "\n")
		}
		fmt.Fprintf(&b, "%s=%s\n", l.name, l.value)
	}
	return b.String()
}

// passwordWord is a password in an address of PostgreSQL of the form key=value.
var passwordWord = regexp.MustCompile(`(?i)(password\s*=\s*)('[^']*'|\S+)`)

// shown returns lines as they may be shown: without passwords.
func shown(lines []line) []line {
	list := append([]line{}, lines...)
	for i, l := range list {
		if l.name != "DATABASE_URL" {
			continue
		}
		if at, err := url.Parse(l.value); err == nil && at.Scheme != "" {
			query := at.Query()
			if query.Has("password") {
				query.Set("password", "xxxxx")
				at.RawQuery = query.Encode()
			}
			list[i].value = at.Redacted()
			continue
		}
		list[i].value = passwordWord.ReplaceAllString(cmp.Or(l.value), "${1}xxxxx")
	}
	return list
}
