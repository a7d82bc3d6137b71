# Perl's Cache::Memcached::Fast: {"port", "timeoutMs"} as JSON on the command line. Answers each line of JSON on stdin with
# one on stdout.

use strict;
use warnings;
use Cache::Memcached::Fast;
use JSON::PP;
use MIME::Base64;

my $json    = JSON::PP->new->utf8;
my $options = $json->decode($ARGV[0]);
my $address = "127.0.0.1:$options->{port}";
my $client  = Cache::Memcached::Fast->new({
    servers    => [$address],
    io_timeout => $options->{timeoutMs} / 1000,
});

sub truth { return $_[0] ? JSON::PP::true : JSON::PP::false }

sub get {
    my $data = $client->get($_[0]);
    return defined $data ? encode_base64($data, '') : undef;
}

my %deeds = (
    put      => sub { truth($client->set($_[0]{queue}, decode_base64($_[0]{data}))) },
    get      => sub { get($_[0]{key}) },
    delete   => sub { truth($client->delete($_[0]{queue})) },
    flushAll => sub { truth($client->flush_all->{$address}) },
    version  => sub { $client->server_versions->{$address} },
);

$| = 1;
while (my $line = <STDIN>) {
    my $request = $json->decode($line);
    print $json->encode({ result => $deeds{ $request->{do} }->($request) }), "\n";
}
