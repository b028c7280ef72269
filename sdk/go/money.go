package manilla

import (
	"regexp"
	"strconv"
	"strings"
)

// AmountMax is the largest amount of the API, in kobo.
const AmountMax = 1<<53 - 1

var nairaForm = regexp.MustCompile(`^₦?([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.([0-9]{1,2}))?$`)

// Naira parses an amount in naira: Naira("1,500.00") returns 150000 kobo. It takes text, because 0.29 * 100 is
// 28.999999999999996.
func Naira(text string) (Kobo, error) {
	match := nairaForm.FindStringSubmatch(strings.TrimSpace(text))
	if match != nil {
		kobo, err := strconv.ParseInt(strings.ReplaceAll(match[1], ",", "")+(match[2] + "00")[:2], 10, 64)
		if err == nil && kobo > 0 && kobo <= AmountMax {
			return kobo, nil
		}
	}
	return 0, argumentError("%q is no amount in naira; write it as \"1500.00\" or \"1,500.00\"", text)
}

// FormatNaira formats an amount: FormatNaira(150000) returns ₦1,500.00.
func FormatNaira(kobo int64) string {
	sign := ""
	if kobo < 0 {
		sign, kobo = "-", -kobo
	}
	whole := strconv.FormatInt(kobo/100, 10)
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	return sign + "₦" + whole + "." + strconv.FormatInt(100+kobo%100, 10)[1:]
}

func checkAmount(amount int64) error {
	if amount >= 1 && amount <= AmountMax {
		return nil
	}
	return argumentError("an amount is a whole number of the minor unit, such as kobo, from 1 to %d, not %d; ₦1,500.00 is 150000", int64(AmountMax), amount)
}

// Ptr returns a pointer to a value, for optional fields: Currency: manilla.Ptr("NGN").
func Ptr[T any](value T) *T { return &value }
