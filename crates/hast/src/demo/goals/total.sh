#!/bin/sh
# Adds up an order. One line an item: NAME QUANTITY PRICE
total=0
while read -r _name quantity price; do
    total=$((total + quantity * price))
done
echo "$total"
