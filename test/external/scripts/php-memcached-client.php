<?php

// PHP's Memcached: {"port", "timeoutMs", "compression"} as JSON on the command line. Answers each line of JSON on stdin with
// one on stdout.

$options = json_decode($argv[1], true);
$client = new Memcached();
$client->setOption(Memcached::OPT_COMPRESSION, $options['compression']);
$client->setOption(Memcached::OPT_POLL_TIMEOUT, $options['timeoutMs']);
$client->addServer('127.0.0.1', $options['port']);

// The answer, unless the library says that something else happened than that there is nothing.
function checked(Memcached $client, mixed $answer): mixed
{
    $code = $client->getResultCode();
    if ($code === Memcached::RES_SUCCESS || $code === Memcached::RES_NOTFOUND) {
        return $answer;
    }
    throw new RuntimeException($client->getResultMessage());
}

function get(Memcached $client, string $key): ?string
{
    $data = checked($client, $client->get($key));
    return $client->getResultCode() === Memcached::RES_SUCCESS ? base64_encode($data) : null;
}

function deed(Memcached $client, array $request): mixed
{
    return match ($request['do']) {
        'put' => checked($client, $client->set($request['queue'], base64_decode($request['data']))),
        'get' => get($client, $request['key']),
        'delete' => checked($client, $client->delete($request['queue'])),
        'flushAll' => checked($client, $client->flush()),
        'stats' => array_map(strval(...), current(checked($client, $client->getStats()))),
        'version' => current(checked($client, $client->getVersion())),
    };
}

while (($line = fgets(STDIN)) !== false) {
    try {
        $reply = ['result' => deed($client, json_decode($line, true))];
    } catch (RuntimeException $error) {
        $reply = ['error' => $error->getMessage()];
    }
    fwrite(STDOUT, json_encode($reply) . "\n");
}
$client->quit();
