<?php

declare(strict_types=1);

namespace Manilla;

/** Amounts are whole numbers of kobo. */
final class Money
{
    public const AMOUNT_MAX = 9_007_199_254_740_991;

    /** Money::naira('1,500.00') is 150000. It takes text, because 0.29 * 100 is 28.999999999999996. */
    public static function naira(string $text): int
    {
        $form = '/^₦?([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.([0-9]{1,2}))?$/Du';
        if (preg_match($form, trim($text), $match) === 1) {
            $digits = ltrim(str_replace(',', '', $match[1]) . str_pad($match[2] ?? '', 2, '0'), '0');
            if ($digits !== '' && strlen($digits) <= 16 && (int) $digits <= self::AMOUNT_MAX) {
                return (int) $digits;
            }
        }
        throw ManillaException::argument("\"$text\" is no amount in naira. Write it as \"1500.00\" or \"1,500.00\".");
    }

    /** Money::format(150000) returns ₦1,500.00. */
    public static function format(int $kobo): string
    {
        $digits = str_pad(ltrim((string) $kobo, '-'), 3, '0', STR_PAD_LEFT);
        $whole = strrev(implode(',', str_split(strrev(substr($digits, 0, -2)), 3)));
        return ($kobo < 0 ? '-' : '') . '₦' . $whole . '.' . substr($digits, -2);
    }

    /**
     * @internal
     * @param array<array-key, mixed> $request
     */
    public static function checkAmountOf(array $request): void
    {
        self::check($request['amount'] ?? null);
    }

    /**
     * Throws before the request is sent: the service accepts only whole numbers of the minor unit.
     *
     * @internal
     */
    public static function check(mixed $amount): void
    {
        if (is_int($amount) && $amount >= 1 && $amount <= self::AMOUNT_MAX) {
            return;
        }
        $shown = is_scalar($amount) ? var_export($amount, true) : get_debug_type($amount);
        throw ManillaException::argument(
            'amount is a whole number of the minor unit, such as kobo, from 1 to ' . self::AMOUNT_MAX . ", not $shown. "
            . "NGN 1,500.00 is 150000: Money::naira('1500.00').",
        );
    }
}
