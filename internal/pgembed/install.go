package pgembed

import (
	"os"
	"runtime"
	"strings"
)

// installs says how PostgreSQL's programs are installed, by the ID of a system in its
// os-release; those that are made of another one name that in ID_LIKE.
var installs = map[string]string{
	"debian": "apt-get install postgresql",
	"ubuntu": "apt-get install postgresql",
	"fedora": "dnf install postgresql-server",
	"rhel":   "dnf module install postgresql:16/server",
	"suse":   "zypper install postgresql-server",
	"alpine": "apk add postgresql",
	"arch":   "pacman -S postgresql",
	"darwin": "brew install postgresql@17",
}

// InstallCommand returns the command that installs PostgreSQL's programs on this system;
// on one that is not known, words that say what to install. They need not be started.
func InstallCommand() string {
	if runtime.GOOS == "darwin" {
		return installs["darwin"]
	}
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		text, _ = os.ReadFile("/usr/lib/os-release") // without either the system is not known
	}
	return installCommand(string(text))
}

// installCommand returns the command for a system by its os-release.
func installCommand(release string) string {
	values := map[string]string{}
	for line := range strings.Lines(release) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = strings.Trim(value, `"'`)
	}
	for _, id := range append([]string{values["ID"]}, strings.Fields(values["ID_LIKE"])...) {
		if command := installs[id]; command != "" {
			return command
		}
	}
	return "the PostgreSQL server, from your system's packages"
}
