package pgembed

import "testing"

// TestInstallCommand reads the os-release of several systems.
func TestInstallCommand(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{
		"PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n":        "apt-get install postgresql",
		"ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n":               "apt-get install postgresql",
		"NAME=\"Fedora Linux\"\nID=fedora\n":                      "dnf install postgresql-server",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n":          "dnf module install postgresql:16/server",
		"ID=\"opensuse-tumbleweed\"\nID_LIKE=\"opensuse suse\"\n": "zypper install postgresql-server",
		"ID=alpine\nVERSION_ID=3.22\n":                            "apk add postgresql",
		"NAME='Arch Linux'\nID=arch\n":                            "pacman -S postgresql",
		"ID=plan9\n":                                              "the PostgreSQL server, from your system's packages",
		"":                                                        "the PostgreSQL server, from your system's packages",
	} {
		if got := installCommand(release); got != want {
			t.Errorf("%q: %q, want %q", release, got, want)
		}
	}
}
