package serve

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// adminPassword returns the password of the account admin for the first start, "" when
// one is to be generated: the setting itself, else the first line of its file. A file that
// was named and says nothing is an error, for a generated password would be a surprise.
func (s *Settings) adminPassword() (string, error) {
	if s.AdminPassword.value != "" || s.AdminPassword.file == "" {
		return s.AdminPassword.value, nil
	}
	text, err := os.ReadFile(s.AdminPassword.file)
	if err != nil {
		return "", fmt.Errorf("KG_ADMIN_PASSWORD_FILE: must be a file that can be read: %w", err)
	}
	password, _, _ := strings.Cut(string(text), "\n")
	password = strings.TrimSuffix(password, "\r")
	if password == "" {
		return "", errors.New("KG_ADMIN_PASSWORD_FILE: its first line is empty, and should be the password")
	}
	return password, nil
}
