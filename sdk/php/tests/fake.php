<?php

// The fake for users' own tests, and what a webhook endpoint of plain PHP or of a framework does: `php tests/fake.php`.

declare(strict_types=1);

use Manilla\FakeManilla;
use Manilla\ManillaException;
use Manilla\Webhook;

require __DIR__ . '/load.php';

function kindOf(callable $call): ?string
{
    try {
        $call();
        return null;
    } catch (ManillaException $error) {
        return "$error->kind $error->errorCode";
    }
}

$request = [
    'reference' => 'PAYOUT-1',
    'amount' => 150_000,
    'bankSlug' => 'guaranty-trust-bank',
    'accountNumber' => '0123456789',
    'accountName' => 'ADA OBI',
];
$fake = new FakeManilla();
$transfers = $fake->client->transfers;
$fake->loseAnswer();
$sent = $transfers->initiate($request);
same('recovered', [$sent['status'], $sent->lastResponse->recovered], ['queued', true]);
same('asked', array_column($fake->requests, 0), ['POST /v1/transfers/initiate', 'GET /v1/transfers/PAYOUT-1']);
same('unsettled', kindOf(fn () => $transfers->waitFor('PAYOUT-1')), 'timeout STILL_PENDING');
$fake->settle('PAYOUT-1', 'FAILED', 'INVALID_ACCOUNT');
same('settled', $transfers->waitFor('PAYOUT-1')['failureReason'], 'INVALID_ACCOUNT');
$again = $transfers->initiate($request);
same('replayed', [$again['status'], $again->lastResponse->replayed], ['queued', true]);
same('conflict', kindOf(fn () => $transfers->initiate([...$request, 'amount' => 1])), 'conflict CONFLICT');
$toWallet = ['reference' => 'PAYOUT-1', 'amount' => 150_000, 'phoneNumber' => '+2348030000000'];
same('other kind', kindOf(fn () => $fake->client->momo->transfers->initiate($toWallet)), 'conflict CONFLICT');
same('unknown', kindOf(fn () => $transfers->get('PAYOUT-2')), 'not_found TRANSFER_NOT_FOUND');
$many = $transfers->initiateMany([$request, [...$request, 'reference' => '2']]);
same('bulk', [$many['accepted'], $many['replayed'], $many['refused']], [1, 1, 0]);
same('list', array_column(iterator_to_array($transfers->list()), 'reference'), ['2', 'PAYOUT-1']);
$fake->refuse(429, 'RATE_LIMIT_EXCEEDED', 7);
same('refusal', kindOf(fn () => $fake->client->balance->get()), 'rate_limit RATE_LIMIT_EXCEEDED');
$fake->answer('GET /v1/banks', ['banks' => []]);
same('answer', $fake->client->banks->list()['banks'], []);

$body = '{"id":"evt_1","event":"transfer.success","data":{"reference":"PAYOUT-1"}}';
$events = [];
$receive = function (?string $header, array $secrets) use ($body, &$events): int {
    return Webhook::receive($body, $header, $secrets, function (array $event) use (&$events): void {
        $events[] = $event['data']['reference'];
    });
};
same('delivery', $receive(Webhook::sign($body, 'whsec_old'), ['whsec_new', 'whsec_old']), 200);
same('no header', $receive(null, ['whsec_new']), 400);
same('other secret', $receive(Webhook::sign($body, 'whsec_other'), ['whsec_new']), 400);
same('old', $receive(Webhook::sign($body, 'whsec_new', 1), ['whsec_new']), 400);
same('events', $events, ['PAYOUT-1']);
finish();
