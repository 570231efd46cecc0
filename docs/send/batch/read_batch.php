<?php
function readBatch(string $body, array &$seen, callable $handle): void
{
    foreach (json_decode($body, true, 512, JSON_THROW_ON_ERROR)['batch'] as $item) {
        if (!isset($seen[$item['id']])) {
            $handle($item['type'], $item['body']);
            $seen[$item['id']] = true;
        }
    }
}
