import { describe, expect, test } from 'vitest'
import { createNet } from '#platform/http-client/client.ts'
import { isPermittedAddress, createNetworks } from '#platform/http-client/addresses.ts'
import {
  hasIpv6,
  get,
  local,
  newNet,
  receiver,
  refused,
  text,
  cleanups,
  useLocalServers,
} from './fixtures/local-servers.ts'

useLocalServers()

describe('the address guard', () => {
  const forbidden = [
    ['this network', '0.0.0.0', '0.255.255.255'],
    ['private', '10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ['shared by carriers', '100.64.0.0', '100.127.255.255'],
    ['link-local and cloud metadata', '169.254.0.0', '169.254.169.254', '169.254.255.255'],
    ['protocol assignments', '192.0.0.0', '192.0.0.170', '192.0.0.255'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarks', '198.18.0.0', '198.19.255.255'],
    ['multicast', '224.0.0.0', '239.255.255.255'],
    ['reserved and broadcast', '240.0.0.0', '255.255.255.254', '255.255.255.255'],
    ['unspecified', '::', '0:0:0:0:0:0:0:0'],
    ['mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:0:10.0.0.1'],
    ['compatible', '::127.0.0.1', '::7f00:1', '::8.8.8.8'],
    ['NAT64', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::a00:1'],
    ['6to4 and Teredo', '2002:7f00:1::', '2002:a00:1::1', '2001::1', '2001:0:ffff::1'],
    ['discard', '100::1', '100:0:0:1::1'],
    ['benchmarks and ORCHID', '2001:2::1', '2001:10::1', '2001:20::1', '2001:30::1'],
    ['documentation', '2001:db8::1', '3fff::1', '3fff:fff::1'],
    ['segment routing', '5f00::1'],
    ['never given out', '1::1', '4000::1', '8000::1', 'c000::1', 'e000::1', 'f000::1', 'fe00::1'],
    ['unique local', 'fc00::1', 'fd00:ec2::254', 'fdff::1'],
    ['link-local and site-local', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1'],
    ['multicast', 'ff00::1', 'ff02::1', 'ff0e::1'],
    ['the platform of Azure', '168.63.129.16'],
    ['ISATAP', '2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:a00:1', '2a00:1450:1:2:0:5efe:808:808'],
  ] as [string, ...string[]][]

  test.each(forbidden)(
    'refuses %s, as a host, as an answer of DNS, and also where loopback is permitted',
    async (...row) => {
      for (const address of row.slice(1)) {
        const net = newNet({ resolve: () => Promise.resolve([{ address, family: 4 }]) })
        const literal = address.includes(':') ? `[${address.replace(/%.*/, '')}]` : address
        for (const url of [`http://${literal}/`, 'http://a.test/', 'https://a.test/']) {
          expect(await get(net, url), `${url} ${address}`).toMatchObject(refused)
          expect(await get(net, url, { allowLoopback: false }), `${url} ${address}`).toMatchObject(refused)
        }
      }
    },
  )

  test.each(['127.0.0.1', '127.0.0.0', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'])(
    'refuses loopback %s unless it is asked for',
    async (address) => {
      const net = newNet({ resolve: () => Promise.resolve([{ address, family: 4 }]) })
      for (const url of [`http://${address.includes(':') ? `[${address}]` : address}/`, 'http://a.test/']) {
        expect(await get(net, url, { allowLoopback: false })).toMatchObject(refused)
        expect(await net.request({ url, method: 'POST', body: '{}' })).toMatchObject(refused)
      }
      expect(isPermittedAddress(address, { allowLoopback: true })).toBe(true)
    },
  )

  test.each([
    '1.1.1.1',
    '41.58.0.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.0',
    '192.0.1.1',
    '198.17.255.255',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
    '2c0f:f248::1',
    '3ffe::1',
    '168.63.129.15',
    '2606:4700::1:5efe:a00:1',
  ])('permits the public address %s', (address) => expect(isPermittedAddress(address)).toBe(true))

  test.each([
    '',
    'a.test',
    '127.1',
    '0x7f000001',
    '1.1.1.1.',
    '1.1.1.1/8',
    '01.1.1.1',
    '[::1]',
    '2606:4700::1111%../x',
  ])('takes %j for no address at all', (address) =>
    expect(isPermittedAddress(address, { allowLoopback: true })).toBe(false),
  )

  test.each([
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0177.0.0.1',
    '0x7f.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '10.1',
    '0xa9fea9fe',
    '2852039166',
    '169.254.169.254.',
    '[::FFFF:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[0:0:0:0:0:ffff:10.1.2.3]',
    '[::]',
    '[0000::1]',
    '[FE80::1]',
    'localhost',
    'LOCALHOST',
    'localhost.',
    'a.localhost',
    'ｌｏｃａｌｈｏｓｔ',
    'loc\tal\nhost',
  ])('refuses the spelling %j', async (host) => {
    // The service's own resolver: it knows localhost, and nothing else here asks DNS.
    const net = createNet()
    cleanups.push(() => net.close())
    expect(await net.request({ url: `http://${host}:9/`, method: 'GET' })).toMatchObject(refused)
    expect(await net.request({ url: `https://${host}/`, method: 'GET' })).toMatchObject(refused)
  })

  test('refuses a name when any one of its addresses is not permitted, wherever that one stands', async () => {
    const { port, seen } = await receiver((_request, response) => response.end())
    const bad = { address: '10.0.0.1', family: 4 }
    for (const addresses of [
      [...local, bad],
      [bad, ...local],
      [...local, ...local, { address: 'fd00::1', family: 6 }],
    ]) {
      expect(await get(newNet({ resolve: () => Promise.resolve(addresses) }), `http://a.test:${port}/`)).toMatchObject(
        refused,
      )
    }
    expect(seen.connections).toBe(0)
  })

  test('asks once for each connection and connects to what it checked: a name that changes gains nothing', async () => {
    const { port, seen } = await receiver((_request, response) => response.setHeader('connection', 'close').end('ok'))
    const answers = ['127.0.0.1', '10.0.0.1', '127.0.0.1']
    const asked: string[] = []
    const net = newNet({
      resolve: (hostname) => {
        asked.push(hostname)
        return Promise.resolve([{ address: answers.shift() ?? '10.0.0.2', family: 4 }])
      },
    })
    const url = `http://a.test:${port}/`
    expect(text(await get(net, url))).toBe('ok')
    expect(asked).toEqual(['a.test'])
    expect(await get(net, url)).toMatchObject(refused)
    expect(text(await get(net, url))).toBe('ok')
    expect(await get(net, url)).toMatchObject(refused)
    expect([asked.length, seen.connections]).toEqual([4, 2])
  })

  test('refuses what the operator denies, by number and by name, also on loopback', async () => {
    const { port, seen } = await receiver((_request, response) => response.end())
    const denied = createNetworks(['127.0.0.0/16', '1.1.1.0/24'])
    const net = newNet({ denied })
    for (const host of ['127.0.0.1', 'a.test', '1.1.1.1'])
      expect(await get(net, `http://${host}:${port}/`)).toMatchObject(refused)
    expect(seen.connections).toBe(0)
  })

  test('does not tell a name that leads inside from one that is not there', async () => {
    const absent = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    const inside = newNet({ resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]) })
    const nowhere = newNet({ resolve: () => Promise.reject(absent) })
    const [found, missing] = [await get(inside, 'https://db.internal/'), await get(nowhere, 'https://db.internal/')]
    expect(found).toMatchObject({ kind: 'failed', message: 'the host name leads to no public address' })
    expect(missing).toMatchObject({ kind: 'failed', message: 'the host name leads to no public address' })
  })

  test('says nothing of the addresses that it saw', async () => {
    const net = newNet({ resolve: () => Promise.resolve([{ address: '10.11.12.13', family: 4 }]) })
    expect(JSON.stringify(await get(net, 'http://a.test/'))).not.toContain('10.11')
  })

  const hosts = ['127.0.0.1', '127.1', 'localhost', 'LOCALHOST']
  const families: [string, string[]][] = hasIpv6
    ? [
        ['127.0.0.1', hosts],
        ['::1', ['[::1]', 'localhost']],
      ]
    : [['127.0.0.1', hosts]]
  test.each(families)(
    'reaches a receiver on %s where loopback is asked for, by number and by name',
    async (address, spellings) => {
      const { port } = await receiver((_request, response) => response.end('here'), address)
      const net = createNet()
      cleanups.push(() => net.close())
      for (const host of spellings) expect(text(await get(net, `http://${host}:${port}/`))).toBe('here')
    },
  )
})
